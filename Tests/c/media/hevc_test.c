/* H.265 in each container, checked with ffprobe. FFmpeg decodes the files to the frames of x265's stream. */
#include "media_support.h"

#include "refusal.h"

enum { FRAMES = 40 };

static clip movie;
static bool is_random_access[FRAMES];
static nalu_format_description *format;

/* Makes a sample from the NAL units of an access unit; parameter sets become the format description. */
static nalu_sample *sample_of(const uint8_t *bytes, size_t size, const media_packet *times, int32_t scale, bool *is_access) {
    static uint8_t data[1 << 20];
    size_t used = 0, offset = 0, unit_size, sizes[8];
    const uint8_t *unit, *sets[8];
    uint32_t count = 0, flags = NALU_SAMPLE_NOT_SYNC;
    while (nalu_annex_b_next(bytes, size, &offset, &unit, &unit_size) == NALU_STATUS_OK) {
        int type = unit[0] >> 1 & 63;
        if (type >= NALU_HEVC_NAL_VPS && type <= NALU_HEVC_NAL_PPS) {
            REQUIRE(count < 8);
            sets[count] = unit, sizes[count++] = unit_size;
            continue;
        }
        if (type == NALU_HEVC_NAL_IDR_W_RADL || type == NALU_HEVC_NAL_IDR_N_LP) flags = 0;
        if (type == NALU_HEVC_NAL_CRA) flags = NALU_SAMPLE_NOT_SYNC | NALU_SAMPLE_PARTIAL_SYNC;
        *is_access = flags != NALU_SAMPLE_NOT_SYNC;
        for (int shift = 24; shift >= 0; shift -= 8) data[used++] = (uint8_t)(unit_size >> shift);
        memcpy(data + used, unit, unit_size);
        used += unit_size;
    }
    if (!format) REQUIRE_OK(nalu_format_description_create_from_hevc_parameter_sets(count, sets, sizes, 4, &format));
    nalu_sample *sample = NULL;
    REQUIRE_OK(nalu_sample_create(data, used, format, nalu_time_make(times->pts, scale), nalu_time_make(times->duration, scale),
        nalu_time_make(times->dts, scale), flags, &sample));
    return sample;
}

/* Makes a stream with open groups and reference B-frames. Each access unit begins with a delimiter. */
static void make_movie(void) {
    static media_packet packets[CLIP_MOST];
    long long numerator = 0, denominator = 0;
    int status = 1;
    char *said = media_run(&status,
        "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=188x124:rate=25 -frames:v %d -pix_fmt yuv420p -c:v libx265"
        " -x265-params log-level=none:aud=1:keyint=12:min-keyint=12:bframes=3:open-gop=1:scenecut=0"
        " -color_primaries bt709 -color_trc bt709 -colorspace bt709 -y '%s' 2>&1"
        " && ffmpeg -nostdin -v error -i '%s' -c copy -bsf:v hevc_mp4toannexb -y '%s' 2>&1",
        FRAMES, test_path("x265.mp4"), test_path("x265.mp4"), test_path("reference.h265"));
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
    REQUIRE(media_packets(test_path("x265.mp4"), packets, CLIP_MOST, &numerator, &denominator) == FRAMES);
    size_t size = 0, start = 0;
    uint8_t *bytes = media_read_file(test_path("reference.h265"), &size);
    for (size_t i = 4; i <= size && movie.count < FRAMES; i++) {
        if (i < size && !(i + 5 < size && memcmp(bytes + i, "\0\0\0\1\x46\1", 6) == 0)) continue;
        const int32_t n = movie.count++;
        movie.samples[n] = sample_of(bytes + start, i - start, &packets[n], (int32_t)denominator, &is_random_access[n]);
        start = i;
    }
    free(bytes);
    REQUIRE(CHECK_EQ(movie.count, FRAMES) && start == size);
}

static void check_file(const char *name, uint32_t flags, const char *facts) {
    static media_packet packets[CLIP_MOST];
    const char *path = test_path(name);
    long long numerator = 0, denominator = 0;
    media_write_file(path, &movie, flags, NULL);
    int count = media_packets(path, packets, CLIP_MOST, &numerator, &denominator);
    if (!CHECK_EQ(count, FRAMES)) return;
    const bool is_exact = strstr(name, ".m") != NULL && strstr(name, ".mkv") == NULL;
    double unit = (double)numerator / (double)denominator, move = (double)packets[0].pts * unit;
    for (int i = 0; i < count; i++) {
        const nalu_time pts = nalu_sample_get_presentation_time(movie.samples[i]);
        const nalu_time dts = nalu_sample_get_decode_time(movie.samples[i]);
        CHECK_EQ(packets[i].is_key, is_random_access[i]);
        CHECK_NEAR((double)packets[i].pts * unit, nalu_time_get_seconds(pts) + move, unit * 1.001);
        if (!is_exact) continue;
        CHECK_EQ(nalu_time_compare(nalu_time_make(packets[i].pts, (int32_t)denominator), pts), 0);
        CHECK_EQ(nalu_time_compare(nalu_time_make(packets[i].dts, (int32_t)denominator), dts), 0);
    }
    media_check_same_frames(path, test_path("reference.h265"), FRAMES);
    CHECK_STR_EQ(media_fact(path, "stream=codec_name,codec_tag_string,width,height,color_space,profile,level"), facts);
}

static void h265_in_each_container_is_what_ffprobe_expects(void) {
    int keys = 0;
    for (int i = 0; i < FRAMES; i++) keys += is_random_access[i];
    CHECK_EQ(keys, 4);
    const char *facts = "hevc Main hvc1 188 124 60 bt709";
    check_file("plain.mp4", 0, facts);
    check_file("fast.mp4", NALU_WRITER_FAST_START, facts);
    check_file("fragmented.mp4", NALU_WRITER_FRAGMENTED, facts);
    CHECK_EQ(media_count_in_file(test_path("fragmented.mp4"), "moof", 4), 4);
    check_file("plain.mov", 0, facts);
    check_file("file.mkv", 0, "hevc Main [0][0][0][0] 188 124 60 bt709");
    /* ffprobe prints the program of a transport stream first, and again later. */
    check_file("file.ts", 0, "hevc Main HEVC 188 124 60 bt709 hevc Main HEVC 188 124 60 bt709");
}

/* The elementary stream is x265's, and the hvcC box contains the record. */
static void the_h265_stream_and_hvcc_are_written_unchanged(void) {
    static const char *const names[] = {"a.h265", "b.265", "c.hevc"};
    size_t size = 0, expected = 0, record_size = 0;
    uint8_t *reference = media_read_file(test_path("reference.h265"), &expected);
    for (int i = 0; i < 3; i++) {
        media_write_file(test_path(names[i]), &movie, 0, NULL);
        uint8_t *bytes = media_read_file(test_path(names[i]), &size);
        if (CHECK_EQ(size, expected)) CHECK_BYTES(bytes, reference, size);
        free(bytes);
    }
    free(reference);
    const uint8_t *record = nalu_format_description_get_hvcc(format, &record_size);
    CHECK_EQ(media_count_in_file(test_path("plain.mp4"), (const char *)record, record_size), 1);
    CHECK_EQ(media_count_in_file(test_path("file.mkv"), (const char *)record, record_size), 1);
}

/* A record that leaves parameter sets to the samples, as in files with 'hev1', is completed. */
static void an_incomplete_hvcc_is_completed(void) {
    uint8_t record[512];
    size_t size = 0, sample_size = 0;
    const uint8_t *whole = nalu_format_description_get_hvcc(format, &size);
    REQUIRE(size < sizeof record);
    memcpy(record, whole, size);
    record[23] &= 0x7f;
    nalu_format_description *other = NULL;
    nalu_sample *sample = NULL;
    REQUIRE_OK(nalu_format_description_create_from_hvcc(record, size, &other));
    const uint8_t *data = nalu_sample_get_data(movie.samples[0], &sample_size);
    REQUIRE_OK(nalu_sample_create(data, sample_size, other, nalu_time_zero(), nalu_time_make(1, 25), nalu_time_invalid(), 0,
        &sample));
    media_write_file(test_path("hev1.mp4"), &(clip){.samples = {sample}, .count = 1}, 0, NULL);
    CHECK_EQ(media_count_in_file(test_path("hev1.mp4"), (const char *)whole, size), 1);
    media_write_file(test_path("hev1.mkv"), &(clip){.samples = {sample}, .count = 1}, 0, NULL);
    CHECK_EQ(media_count_in_file(test_path("hev1.mkv"), (const char *)record, size), 1);
    nalu_sample_release(sample);
    nalu_format_description_release(other);
}

static void wrong_h265_formats_are_refused(void) {
    static const uint8_t sps[] = {0x67, 0x42, 0xc0, 0x0a, 0xda, 0x27, 0x89}, pps[] = {0x68, 0xce, 0x3c, 0x80};
    static const uint8_t *const sets[] = {sps, pps};
    static const size_t sizes[] = {sizeof sps, sizeof pps};
    nalu_format_description *avc = NULL;
    REQUIRE_OK(nalu_format_description_create_from_parameter_sets(2, sets, sizes, 4, &avc));
    static const struct { const char *name, *word; bool is_avc; } cases[] = {
        {"no.flv", "flv", false}, {"no.h264", "h264", false}, {"no.h265", "hevc", true}};
    for (int i = 0; i < 3; i++) {
        nalu_writer *writer = media_writer_to(test_path(cases[i].name), NULL);
        REFUSED(nalu_writer_add_track(writer, cases[i].is_avc ? avc : format, NULL, NULL),
            NALU_STATUS_UNSUPPORTED_DATA_FORMAT, cases[i].word, "H.264", "H.265");
        CHECK_OK(nalu_writer_add_track(writer, cases[i].is_avc ? format : avc, NULL, NULL));
        nalu_writer_release(writer);
    }
    nalu_format_description_release(avc);
}

int main(void) {
    make_movie();
    RUN(h265_in_each_container_is_what_ffprobe_expects);
    RUN(the_h265_stream_and_hvcc_are_written_unchanged);
    RUN(an_incomplete_hvcc_is_completed);
    RUN(wrong_h265_formats_are_refused);
    for (int32_t i = 0; i < movie.count; i++) nalu_sample_release(movie.samples[i]);
    nalu_format_description_release(format);
    return check_result();
}
