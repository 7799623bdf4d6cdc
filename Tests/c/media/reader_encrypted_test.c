/* Encrypted tracks are reported as such, and not as damage. */
#include "media_reading.h"

enum { FRAMES = 12 };

static void make(const char *name, const char *settings) {
    int status = 1;
    char *said = media_run(&status, "ffmpeg -nostdin -v error -i '%s' -f lavfi -i sine=frequency=300:sample_rate=48000"
        " -map 0:v -map 1:a -t 0.4 -c:v copy -c:a aac %s -encryption_key 76a6c65c5ea762046bd749a2e632ccbb"
        " -encryption_kid a7e61c373e219033c21091fa607bf3b8 -y '%s' 2>&1", test_path("in.mp4"), settings, test_path(name));
    if (!CHECK_EQ(status, 0)) fprintf(stderr, "%s: %s", name, said);
}

static void encrypted_samples_are_refused_with_their_scheme(void) {
    nalu_sample *sample = NULL;
    make("encrypted.mp4", "-encryption_scheme cenc-aes-ctr");
    nalu_reader *reader = reader_of(test_path("encrypted.mp4"));
    nalu_reader_track track = track_of(reader, 0);
    CHECK_EQ(track.flags & NALU_TRACK_ENCRYPTED, NALU_TRACK_ENCRYPTED);
    CHECK(strcmp(track.codec_name, "h264") == 0);
    CHECK_EQ(track.width, 64);
    /* Each encrypted sample is reported, and then the end. */
    for (int k = 0; k < FRAMES; k++) {
        CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK(strstr(nalu_last_error_message(), "is encrypted (cenc), and Nalu cannot decrypt it") != NULL);
    }
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    nalu_reader_release(reader);
}

/* A copy would lack the information on the encryption of its audio. */
static void encrypted_tracks_are_not_copied(void) {
    make("encrypted.mp4", "-encryption_scheme cenc-aes-ctr");
    nalu_reader *reader = reader_of(test_path("encrypted.mp4"));
    nalu_writer *writer = media_writer_to(test_path("copy.mp4"), NULL);
    uint32_t track = 0;
    nalu_sample *sample = NULL;
    nalu_status status = nalu_writer_add_track_from_reader(writer, reader, 1, &track);
    if (status == NALU_STATUS_OK) {
        /* The reader learns of the encryption only from packets after those that identify the tracks. */
        while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_UNSUPPORTED_DATA_FORMAT) continue;
    } else {
        CHECK_STATUS(status, NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK(strstr(nalu_last_error_message(), "encrypted") != NULL);
    }
    nalu_writer_release(writer);
    nalu_reader_release(reader);
}

static void tracks_that_are_not_encrypted_are_not_marked(void) {
    nalu_reader *reader = reader_of(test_path("in.mp4"));
    CHECK_EQ(track_of(reader, 0).flags & NALU_TRACK_ENCRYPTED, 0);
    nalu_reader_release(reader);
}

int main(void) {
    static clip movie;
    media_clip(&movie, 64, 48, FRAMES);
    media_write_file(test_path("in.mp4"), &movie, 0, NULL);
    clip_close(&movie);
    RUN(encrypted_samples_are_refused_with_their_scheme);
    RUN(encrypted_tracks_are_not_copied);
    RUN(tracks_that_are_not_encrypted_are_not_marked);
    return check_result();
}
