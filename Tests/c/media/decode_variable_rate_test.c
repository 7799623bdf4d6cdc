/*
 * Intact streams of variable frame rate: a picture that stays for a second is no loss. FFmpeg makes streams with
 * pauses at the beginnings of groups of pictures, with and without reordering. Matroska and MPEG-TS state nominal
 * durations only, and MP4 states distances of decode times.
 */
#include "decode_support.h"

#include <nalu/loss_detector.h>

enum { FRAMES = 54 };

static decode_recorder all = DECODE_RECORDER_INIT;

/* Encodes 180 frames of 25 Hz, of which 54 are left: 16 in a row, and then every 20th one up to the next 16. */
static void make_stream(const char *encoder, const char *path) {
    int status = 1;
    char *said = media_run(&status,
        "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=s=176x144:r=25:d=7.2"
        " -vf \"select='lt(mod(n,60),16)+not(mod(n,20))'\" -fps_mode vfr -pix_fmt yuv420p -preset ultrafast -c:v %s '%s' 2>&1",
        encoder, path);
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
}

static void read_samples(const char *path, nalu_sample **samples) {
    nalu_reader *reader = NULL;
    nalu_sample *sample = NULL;
    int count = 0;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        REQUIRE(count < FRAMES);
        samples[count++] = sample;
    }
    nalu_reader_release(reader);
    REQUIRE(CHECK_EQ(count, FRAMES));
}

static void no_loss_is_detected(nalu_sample **samples, const char *name) {
    nalu_loss_detector *detector = NULL;
    REQUIRE_OK(nalu_loss_detector_create(&detector));
    for (int i = 0; i < FRAMES; i++) {
        int32_t loss = 9;
        CHECK_OK(nalu_loss_detector_check(detector, samples[i], &loss));
        if (!CHECK_EQ(loss, NALU_LOSS_NONE)) fprintf(stderr, "%s: loss before sample %d\n", name, i);
    }
    nalu_loss_detector_release(detector);
}

static void every_picture_is_shown(nalu_sample **samples, const char *name) {
    const int before = check_failures;
    for (uint32_t flags = 0; flags <= NALU_DECODER_DROP_UNTIL_KEY_FRAME; flags += NALU_DECODER_DROP_UNTIL_KEY_FRAME) {
        nalu_decompression_session *session =
            make_decoder_with(nalu_sample_get_format_description(samples[0]), flags, 1, record_decoded, &all);
        for (size_t i = 0; i < FRAMES; i++)
            CHECK_OK(nalu_decompression_session_decode_frame(session, samples[i], 0, FRAME(i), NULL));
        CHECK_OK(wait_all(session));
        check_all_decoded(&all, FRAMES);
        nalu_decompression_session_release(session);
        decoded_clear(&all);
    }
    if (check_failures != before) fprintf(stderr, "%s\n", name);
}

/* Checks the stream in each container. */
static void check_stream(const char *encoder) {
    static const char *const names[] = {"a.mp4", "b.mkv", "c.ts"};
    char *movie = strdup(test_path(names[0]));
    make_stream(encoder, movie);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        nalu_sample *samples[FRAMES];
        const char *path = test_path(names[n]);
        int status = 0;
        if (n > 0) media_run(&status, "ffmpeg -nostdin -v error -y -i '%s' -c copy '%s' 2>&1", movie, path);
        REQUIRE(CHECK_EQ(status, 0));
        read_samples(path, samples);
        no_loss_is_detected(samples, names[n]);
        every_picture_is_shown(samples, names[n]);
        for (int i = 0; i < FRAMES; i++) nalu_sample_release(samples[i]);
    }
    free(movie);
}

static void pauses_of_h264_streams_are_no_loss(void) {
    check_stream("libx264 -bf 0 -g 17");
    check_stream("libx264 -bf 2 -g 15");
}

static void pauses_of_h265_streams_are_no_loss(void) {
    check_stream("libx265 -tag:v hvc1 -x265-params log-level=none:bframes=0:keyint=16:min-keyint=16:scenecut=0");
    check_stream("libx265 -tag:v hvc1 -x265-params log-level=none:bframes=3:keyint=16:min-keyint=16:scenecut=0:open-gop=0");
}

int main(void) {
    RUN(pauses_of_h264_streams_are_no_loss);
    RUN(pauses_of_h265_streams_are_no_loss);
    return check_result();
}
