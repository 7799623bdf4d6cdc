/* Properties that are set after prepare and before the first frame: the encoder is opened again, and the stream is the
 * same byte for byte as if the properties had been set before prepare. */
#include "clip.h"
#include "refusal.h"

#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

enum { FRAMES = 12, MOST_BYTES = 1 << 20 };

typedef struct { size_t size; uint8_t bytes[MOST_BYTES]; } stream;

static void take_stream(clip *c, stream *s) {
    size_t size = 0;
    s->size = 0;
    clip_finish(c);
    const nalu_format_description *format = nalu_sample_get_format_description(c->samples[0]);
    const uint8_t *record = nalu_format_description_get_avcc((nalu_format_description *)format, &size);
    REQUIRE(record && size < MOST_BYTES);
    memcpy(s->bytes, record, size);
    s->size = size;
    for (int i = 0; i < c->count; i++) {
        const void *data = nalu_sample_get_data(c->samples[i], &size);
        REQUIRE(s->size + size <= MOST_BYTES);
        memcpy(s->bytes + s->size, data, size);
        s->size += size;
    }
}

static void set_text(clip *c, const char *text) {
    check_statuses(nalu_session_set_properties_from_text(c->session, text), NALU_STATUS_OK, __FILE__, __LINE__, text);
}

static int is_open(clip *c) {
    size_t size = 0;
    return nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, NULL, 0, &size) == NALU_STATUS_OK;
}

/* One thread, so that the bytes depend on nothing else. With pictures 96 pixels wide, the bytes that x264 makes vary
 * from run to run. */
static void open_clip(clip *c) {
    clip_open(c, 128, 96);
    c->noise = 60;
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY, 1));
}

static void a_reopened_encoder_gives_the_same_bytes(void) {
    static const struct { const char *first, *then; } all[] = {
        {"", "x264.preset=ultrafast"},
        {"", "ProfileLevel=H264_Baseline_AutoLevel"},
        {"", "AllowFrameReordering=false"},
        {"", "MaxFrameDelayCount=0"},
        {"", "AverageBitRate=100000"},
        {"AverageBitRate=100000", "AverageBitRate=400000"},
        {"AverageBitRate=100000", "AverageBitRate=unset,Quality=0.9"},
        {"", "Quality=0.2"},
        {"ExpectedFrameRate=30", "ExpectedFrameRate=25"},
        {"", "ConstantBitRate=300000,ExpectedFrameRate=30"},
        {"", "VariableBitRate=300000"},
        {"", "MaxH264SliceBytes=700"},
        {"MaxH264SliceBytes=700", "MaxH264SliceBytes=0"},
        {"", "DataRateLimits=[60000,1]"},
        {"", "MaxAllowedFrameQP=30,MinAllowedFrameQP=20"},
        {"", "MaxKeyFrameInterval=4"},
        {"", "ColorPrimaries=8,NaluChromaLocation=Top"},
        {"", "OutputBitDepth=10"},
        {"OutputBitDepth=10", "OutputBitDepth=8"},
        {"", "FieldCount=2"},
        {"", "EnableLTR=true"},
        {"", "CalculateMeanSquaredError=true"},
        {"", "x264.params=\"me=umh:ref=2\""},
        {"x264.tune=film", "x264.tune=unset"},
        {"", "CleanAperture=[64,64,0,0]"},
    };
    static stream before, after;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int times = 1; times < 3; times++) {
            clip c;
            open_clip(&c);
            set_text(&c, all[i].first);
            set_text(&c, all[i].then);
            REQUIRE_OK(nalu_compression_session_prepare(c.session));
            clip_encode(&c, FRAMES);
            take_stream(&c, &before);
            clip_close(&c);
            open_clip(&c);
            set_text(&c, all[i].first);
            REQUIRE_OK(nalu_compression_session_prepare(c.session));
            set_text(&c, all[i].then);
            if (times > 1) REQUIRE_OK(nalu_compression_session_prepare(c.session));
            clip_encode(&c, FRAMES);
            take_stream(&c, &after);
            clip_close(&c);
            check_integers((long long)after.size, (long long)before.size, __FILE__, __LINE__, all[i].then);
            check_that(memcmp(before.bytes, after.bytes, before.size) == 0, __FILE__, __LINE__, all[i].then, "");
        }
}

static void values_are_right_after_a_change(void) {
    char text[4096];
    size_t size = 0;
    clip c;
    open_clip(&c);
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK(is_open(&c));
    /* The encoder stays open when a property keeps its value, or affects only the conversion of frames. */
    set_text(&c, "MaximizePowerEfficiency=true,x264.preset=unset");
    set_text(&c, "NaluAllowScaling=false,PixelTransferProperties=\"ScalingMode=Letterbox\"");
    CHECK(is_open(&c));
    set_text(&c, "x264.params=\"ref=1\",x264.tune=grain");
    CHECK(!is_open(&c));
    CHECK_OK(nalu_session_copy_string(c.session, "x264.tune", text, sizeof text, &size));
    CHECK_STR_EQ(text, "grain");
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    CHECK(strstr(text, "ref=1") != NULL);
    clip_encode(&c, 1);
    REFUSED(nalu_session_set_string(c.session, "x264.tune", "film"), NALU_STATUS_TOO_LATE, "x264.tune",
            "first frame");
    clip_finish(&c);
    clip_close(&c);
}

/* A failure changes nothing, and the encoder stays open. A frame that is refused is not the first frame. */
static void a_refused_change_keeps_the_encoder_open(void) {
    clip c;
    open_clip(&c);
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK_STATUS(nalu_session_set_properties_from_text(c.session, "x264.tune=film,Quality=7"), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_session_set_properties_from_text(c.session, "x264.tune=film,RealTime=true"), NALU_STATUS_CONFLICT);
    CHECK(is_open(&c));
    CHECK_STATUS(clip_encode_at(&c, nalu_time_invalid(), nalu_time_invalid(), 0), NALU_STATUS_INVALID_TIME);
    set_text(&c, "x264.tune=film");
    CHECK(!is_open(&c));
    /* Values that the encoder refuses are detected when it is opened. */
    set_text(&c, "x264.tune=unset,x264.params=\"ref=2:sync-lookahead=5\"");
    CHECK(nalu_compression_session_prepare(c.session) != NALU_STATUS_OK);
    set_text(&c, "x264.params=unset");
    clip_encode_all(&c, 3);
    clip_close(&c);
}

static int thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    for (struct dirent *each; (each = readdir(tasks));) count += each->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Each change leaves one encoder and one thread, or none. */
static void many_changes_leave_one_encoder(void) {
    clip c;
    clip_open(&c, 96, 80);
    /* The threads of earlier sessions end shortly after the sessions. */
    usleep(200000);
    const int before = thread_count();
    for (int i = 0; i < 40; i++) {
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000 + i));
    }
    /* A detached thread ends shortly after its last statement. */
    for (int i = 0; i < 100 && thread_count() > before; i++) usleep(10000);
    CHECK(thread_count() <= before);
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK_OK(nalu_compression_session_invalidate(c.session));
    clip_close(&c);
}

static void a_storage_can_be_set_after_prepare(void) {
    static stream before, after;
    for (int late = 0; late < 2; late++) {
        nalu_multi_pass_storage *storage = NULL;
        clip c;
        open_clip(&c);
        REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
        set_text(&c, late ? "AverageBitRate=300000" : "AverageBitRate=200000,x264.preset=fast");
        if (late) REQUIRE_OK(nalu_compression_session_prepare(c.session));
        CHECK_OK(nalu_compression_session_set_multi_pass_storage(c.session, storage));
        if (late) {
            REQUIRE_OK(nalu_compression_session_prepare(c.session));
            set_text(&c, "AverageBitRate=200000,x264.preset=fast");
            REQUIRE_OK(nalu_compression_session_prepare(c.session));
        }
        for (int pass = 0; pass < 2; pass++) {
            int32_t further = 0;
            CHECK_OK(nalu_compression_session_begin_pass(c.session, pass ? NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS : 0));
            if (pass == 0 && late)
                CHECK_STATUS(nalu_session_set_string(c.session, "x264.preset", "slow"), NALU_STATUS_TOO_LATE);
            for (int i = 0; i < c.count; i++) nalu_sample_release(c.samples[i]);
            c.fed = c.count = 0;
            clip_encode(&c, FRAMES);
            CHECK_OK(nalu_compression_session_end_pass(c.session, &further));
        }
        take_stream(&c, late ? &after : &before);
        clip_close(&c);
        nalu_multi_pass_storage_release(storage);
    }
    CHECK_EQ(after.size, before.size);
    CHECK(memcmp(after.bytes, before.bytes, before.size) == 0);
}

/* One thread sets while another one hands in the first frame: the property has its effect, or is refused. */
static void *set_cavlc(void *session) {
    const nalu_status status = nalu_session_set_string((nalu_compression_session *)session,
        NALU_PROPERTY_H264_ENTROPY_MODE, NALU_H264_ENTROPY_MODE_CAVLC);
    CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_TOO_LATE);
    return (void *)(uintptr_t)(status == NALU_STATUS_OK);
}

static void *prepare(void *session) {
    CHECK_OK(nalu_compression_session_prepare((nalu_compression_session *)session));
    return NULL;
}

static void threads_can_set_properties_while_others_prepare(void) {
    for (int round = 0; round < 60; round++) {
        pthread_t setter, preparer;
        void *set = NULL;
        clip c;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
        REQUIRE(pthread_create(&setter, NULL, set_cavlc, c.session) == 0);
        REQUIRE(pthread_create(&preparer, NULL, prepare, c.session) == 0);
        if (round % 3) usleep((useconds_t)round * 50);
        clip_encode(&c, 2);
        pthread_join(setter, &set);
        pthread_join(preparer, NULL);
        clip_finish(&c);
        CHECK_EQ(clip_uses_cabac(&c), set == NULL);
        clip_close(&c);
    }
}

int main(void) {
    RUN(a_reopened_encoder_gives_the_same_bytes);
    RUN(values_are_right_after_a_change);
    RUN(a_refused_change_keeps_the_encoder_open);
    RUN(many_changes_leave_one_encoder);
    RUN(a_storage_can_be_set_after_prepare);
    RUN(threads_can_set_properties_while_others_prepare);
    return check_result();
}
