/*
 * PCM in, AAC out, in step with the host clock. FFmpeg decodes the files; the positions of beeps in them are compared
 * with the host times at which the beeps were captured.
 */
#include "media_support.h"

#include "refusal.h"

#include <math.h>

static const nalu_time none = {0, 0, 0, 0};

/* ---- A device that captures a beep of 50 ms, half a second after each second of the host clock --------------------- */

typedef struct device {
    int32_t rate, channels;
    double speed;      /* the device's clock relative to the host clock */
    double start;      /* the host time of the first frame, in seconds */
    double jitter;     /* the most by which times differ from the truth, in seconds */
    bool is_float;
    uint64_t captured; /* frames so far */
    uint32_t state;    /* of the generator for jitter */
} device;

static double device_time(const device *it, uint64_t frame) { return it->start + (double)frame / (it->rate * it->speed); }

/* Captures `count` frames. Returns the host time that the device states for the first one. */
static nalu_time device_capture(device *it, int32_t count, void *frames) {
    const double time = device_time(it, it->captured);
    for (int32_t i = 0; i < count; i++) {
        const double t = device_time(it, it->captured + (uint64_t)i), part = t - floor(t);
        const double value = part >= 0.5 && part < 0.55 ? 0.5 * sin(2 * 3.14159265358979 * 1000 * part) : 0;
        for (int32_t c = 0; c < it->channels; c++) {
            if (it->is_float) ((float *)frames)[i * it->channels + c] = (float)value;
            else ((int16_t *)frames)[i * it->channels + c] = (int16_t)(value * 32767);
        }
    }
    it->captured += (uint64_t)count;
    it->state = it->state * 1664525 + 1013904223;
    return nalu_time_make((int64_t)((time + it->jitter * ((double)(it->state >> 8) / (1 << 23) - 1)) * 1e9), 1000000000);
}

static nalu_audio_encoder *encoder_for(const device *it) {
    nalu_audio_encoder *encoder = NULL;
    REQUIRE_OK(nalu_audio_encoder_create(it->rate, it->channels, NULL, &encoder));
    return encoder;
}

/* Writes the samples that are ready. Checks that each begins where the previous one ends. */
static void write_samples(nalu_audio_encoder *encoder, nalu_writer *writer, uint32_t track, nalu_time *next) {
    nalu_sample *sample = NULL;
    while (CHECK_OK(nalu_audio_encoder_next_sample(encoder, &sample)) && sample) {
        const nalu_time time = nalu_sample_get_presentation_time(sample);
        if (next->flags) CHECK_EQ(nalu_time_compare(time, *next), 0);
        *next = nalu_time_add(time, nalu_sample_get_duration(sample));
        if (writer) CHECK_OK(nalu_writer_write_sample(writer, track, sample));
        nalu_sample_release(sample);
    }
}

/* Captures until the host time `end`, in buffers of 10 ms. */
static void capture_until(device *it, double end, nalu_audio_encoder *encoder, nalu_writer *writer, uint32_t track,
    nalu_time *next) {
    static int16_t frames[2 * 8 * 1000];
    const int32_t count = it->rate / 100;
    while (device_time(it, it->captured) < end) {
        const nalu_time time = device_capture(it, count, frames);
        REQUIRE_OK(nalu_audio_encoder_encode(encoder, frames, (size_t)count,
            it->is_float ? NALU_AUDIO_FLOAT32 : NALU_AUDIO_INT16, time));
        write_samples(encoder, writer, track, next);
    }
}

/* ---- What FFmpeg hears ---------------------------------------------------------------------------------------------------- */

enum { HEARD_RATE = 8000 };

/*
 * Returns how many beeps a file has. The centre of each must be at the host time of its capture plus `shift`, with this
 * tolerance. The first beep is that of second `first`.
 */
static int check_beeps(const char *path, double first, double shift, double tolerance) {
    char command[1024];
    snprintf(command, sizeof command,
        "ffmpeg -nostdin -v error -copyts -i '%s' -map 0:a -af 'aresample=%d:async=1:first_pts=0' -ac 1 -f f32le -",
        path, HEARD_RATE);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    float values[HEARD_RATE / 10];
    uint64_t position = 0, quiet = 0;
    double energy = 0, moment = 0;
    int beeps = 0;
    size_t got;
    while ((got = fread(values, sizeof values[0], sizeof values / sizeof values[0], pipe)) > 0) {
        for (size_t i = 0; i < got; i++, position++) {
            const double square = (double)values[i] * values[i];
            if (square > 1e-4) quiet = 0; else quiet++;
            if (square > 1e-4) energy += square, moment += square * (double)position;
            if (quiet < HEARD_RATE / 5 || energy < 1) {
                if (quiet >= HEARD_RATE / 5) energy = moment = 0;
                continue;
            }
            CHECK_NEAR(moment / energy / HEARD_RATE, first + beeps + 0.525 + shift, tolerance);
            energy = moment = 0;
            beeps++;
        }
    }
    CHECK_EQ(pclose(pipe), 0);
    return beeps;
}

/* Returns the presentation time of the first picture in a file, in seconds. */
static double first_picture(const char *path) {
    return atof(media_run(NULL, "ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 '%s' |"
        " grep '^[-0-9]' | sort -n | head -n 1", path));
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------- */

static void arguments_out_of_range_are_refused(void) {
    nalu_audio_encoder *encoder = NULL;
    CHECK_STATUS(nalu_audio_encoder_create(48000, 2, NULL, NULL), NALU_STATUS_PARAMETER);
    const int32_t rates[] = {0, -1, 44000, 192000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        CHECK_STATUS(nalu_audio_encoder_create(rates[i], 2, NULL, &encoder), NALU_STATUS_OUT_OF_RANGE);
        CHECK(strstr(nalu_last_error_message(), "sample_rate is") && strstr(nalu_last_error_message(), "44100"));
    }
    const int32_t channels[] = {0, -1, 9, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
        CHECK_STATUS(nalu_audio_encoder_create(48000, channels[i], NULL, &encoder), NALU_STATUS_OUT_OF_RANGE);
        CHECK(strstr(nalu_last_error_message(), "expected 1 to 8"));
    }
    const int64_t bit_rates[] = {-1, 1, 15999, 576001, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof bit_rates / sizeof bit_rates[0]; i++) {
        nalu_audio_encoder_options options = NALU_AUDIO_ENCODER_OPTIONS_INIT;
        options.bit_rate = bit_rates[i];
        CHECK_STATUS(nalu_audio_encoder_create(48000, 2, &options, &encoder), NALU_STATUS_OUT_OF_RANGE);
        CHECK(strstr(nalu_last_error_message(), "expected 16000 to 576000"));
    }
    nalu_audio_encoder_options options = NALU_AUDIO_ENCODER_OPTIONS_INIT;
    options.struct_size = 4;
    CHECK_STATUS(nalu_audio_encoder_create(48000, 2, &options, &encoder), NALU_STATUS_PARAMETER);
    CHECK_PTR_EQ(encoder, NULL);
}

static void frames_and_times_are_checked(void) {
    nalu_audio_encoder *encoder = NULL;
    nalu_sample *sample = NULL;
    float frames[2 * 480];
    const nalu_time start = nalu_time_make(5, 1);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) frames[i] = i % 3 ? NAN : 1e30f;
    REQUIRE_OK(nalu_audio_encoder_create(48000, 2, NULL, &encoder));
    CHECK_STATUS(nalu_audio_encoder_encode(NULL, frames, 480, NALU_AUDIO_FLOAT32, start), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, NULL, 480, NALU_AUDIO_FLOAT32, start), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, 3, start), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 16777217, NALU_AUDIO_FLOAT32, start),
        NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, SIZE_MAX, NALU_AUDIO_FLOAT32, start),
        NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, none), NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, (nalu_time){0, 0, NALU_TIME_VALID | NALU_TIME_POSITIVE_INFINITY, 0}),
        NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, nalu_time_make(INT64_MAX, 1)),
        NALU_STATUS_INVALID_TIME);
    CHECK_OK(nalu_audio_encoder_encode(encoder, NULL, 0, NALU_AUDIO_FLOAT32, start));
    CHECK_OK(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, start));
    CHECK_OK(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, none));
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, nalu_time_make(16, 1)),
        NALU_STATUS_INVALID_TIME);
    CHECK(strstr(nalu_last_error_message(), "expected at most 10 s"));
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, nalu_time_make(-6, 1)),
        NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(nalu_audio_encoder_next_sample(encoder, NULL), NALU_STATUS_PARAMETER);
    CHECK_OK(nalu_audio_encoder_finish(encoder));
    CHECK_OK(nalu_audio_encoder_finish(encoder));
    CHECK_STATUS(nalu_audio_encoder_encode(encoder, frames, 480, NALU_AUDIO_FLOAT32, start), NALU_STATUS_OUT_OF_ORDER);
    nalu_audio_encoder_counts counts = {0};
    CHECK_STATUS(nalu_audio_encoder_get_counts(encoder, &counts), NALU_STATUS_PARAMETER);
    counts.struct_size = sizeof counts;
    CHECK_OK(nalu_audio_encoder_get_counts(encoder, &counts));
    CHECK_EQ(counts.frames_in, 960);
    CHECK_NEAR((double)counts.frames_out, 960, 16);
    int64_t total = 0;
    nalu_time first = none;
    while (CHECK_OK(nalu_audio_encoder_next_sample(encoder, &sample)) && sample) {
        if (!first.flags) first = nalu_sample_get_presentation_time(sample);
        total += nalu_sample_get_duration(sample).value;
        nalu_sample_release(sample);
    }
    CHECK_EQ(nalu_time_compare(first, nalu_time_make(5 * 48000 - 1024, 48000)), 0);
    CHECK_EQ(total, (int64_t)counts.frames_out + 1024);
    CHECK_PTR_EQ(nalu_audio_encoder_retain(encoder), encoder);
    nalu_audio_encoder_release(encoder);
    nalu_audio_encoder_release(encoder);
    nalu_audio_encoder_release(NULL);
    CHECK_PTR_EQ(nalu_audio_encoder_get_format_description(NULL), NULL);
}

static void decoded(void *refcon, void *frame, nalu_status status, nalu_decode_info_flags flags, nalu_pixel_buffer *image,
    nalu_time presentation_time, nalu_time duration) {
    (void)refcon, (void)frame, (void)status, (void)flags, (void)image, (void)presentation_time, (void)duration;
}

static void functions_for_video_refuse_audio(void) {
    nalu_audio_encoder *encoder = NULL;
    nalu_sample *sample = NULL;
    nalu_decompression_session *session = NULL;
    REQUIRE_OK(nalu_audio_encoder_create(44100, 1, NULL, &encoder));
    nalu_format_description *format = nalu_audio_encoder_get_format_description(encoder);
    size_t size = 0;
    CHECK_EQ(nalu_format_description_get_codec(format), NALU_CODEC_AAC);
    CHECK_EQ(nalu_format_description_get_width(format), 0);
    CHECK_EQ(nalu_format_description_get_length_size(format), 0);
    CHECK_EQ(nalu_format_description_get_parameter_set_count(format), 0);
    CHECK_EQ(nalu_format_description_get_audio_sample_rate(format), 44100);
    CHECK_EQ(nalu_format_description_get_audio_channel_count(format), 1);
    CHECK_PTR_EQ(nalu_format_description_get_avcc(format, &size), NULL);
    const uint8_t *config = nalu_format_description_get_audio_specific_config(format, &size);
    CHECK(config && size >= 2 && config[0] >> 3 == 2); /* AAC-LC */
    nalu_sequence_info info = {.struct_size = sizeof info};
    CHECK_STATUS(nalu_format_description_get_sequence_info(format, &info), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_STATUS(nalu_decompression_session_create(format, NULL, NULL, decoded, NULL, NULL, &session),
        NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK(strstr(nalu_last_error_message(), "aac 44100 Hz"));
    CHECK_STATUS(nalu_sample_create((const uint8_t *)"", 0, format, nalu_time_make(0, 1), none, none, 0, &sample),
        NALU_STATUS_BAD_DATA);
    REQUIRE_OK(nalu_sample_create((const uint8_t *)"packet", 6, format, nalu_time_make(0, 1), none, none, 0, &sample));
    CHECK_EQ(nalu_sample_get_nal_count(sample), 0);
    CHECK_STATUS(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_ALWAYS, NULL, 0, &size),
        NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    clip video;
    media_clip(&video, 64, 48, 2);
    nalu_loss_detector *detector = NULL;
    int32_t loss = 0;
    REQUIRE_OK(nalu_loss_detector_create(&detector));
    CHECK_STATUS(nalu_loss_detector_check(detector, sample, &loss), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    nalu_loss_detector_release(detector);
    nalu_format_description *picture = nalu_sample_get_format_description(video.samples[0]);
    CHECK_EQ(nalu_format_description_equal(picture, format), 0);

    uint32_t audio = 9, pictures = 9;
    nalu_writer *writer = media_writer_to(test_path("refused.mp4"), NULL);
    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    options.rotation = 90;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, &audio), NALU_STATUS_CONFLICT);
    REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, &audio));
    REQUIRE_OK(nalu_writer_add_track(writer, picture, NULL, &pictures));
    CHECK_EQ(audio, 0);
    CHECK_EQ(pictures, 1);
    CHECK_STATUS(nalu_writer_write_sample(writer, audio, video.samples[0]), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_STATUS(nalu_writer_write_sample(writer, pictures, sample), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_STATUS(nalu_writer_write_sample(writer, 2, sample), NALU_STATUS_OUT_OF_RANGE);
    CHECK_OK(nalu_writer_write_sample(writer, audio, sample));
    CHECK_STATUS(nalu_writer_write_sample(writer, audio, sample), NALU_STATUS_INVALID_TIME);
    CHECK_OK(nalu_writer_write_sample(writer, pictures, video.samples[0]));
    CHECK_OK(nalu_writer_write_sample(writer, pictures, video.samples[1]));
    CHECK_STATUS(nalu_writer_add_track(writer, format, NULL, &audio), NALU_STATUS_OUT_OF_ORDER);
    nalu_writer_release(writer);
    writer = media_writer_to(test_path("refused.h264"), NULL);
    CHECK_STATUS(nalu_writer_add_track(writer, format, NULL, &audio), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    nalu_writer_release(writer);
    nalu_sample_release(sample);
    nalu_audio_encoder_release(encoder);
    clip_close(&video);
}

static void every_rate_and_number_of_channels_is_encoded(void) {
    static const int32_t rates[] = {
        7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        for (int32_t channels = 1; channels <= 8; channels += i == 9 ? 1 : 7) {
            device it = {.rate = rates[i], .channels = channels, .speed = 1, .start = 1, .is_float = channels == 8};
            nalu_audio_encoder *encoder = encoder_for(&it);
            nalu_time next = none;
            capture_until(&it, 1.2, encoder, NULL, 0, &next);
            CHECK_OK(nalu_audio_encoder_finish(encoder));
            write_samples(encoder, NULL, 0, &next);
            CHECK_NEAR(nalu_time_get_seconds(next), device_time(&it, it.captured), 0.001);
            nalu_audio_encoder_release(encoder);
        }
}

/* The audio begins 0.3 seconds before the video, at half past a second of the host clock. */
static void audio_is_in_step_with_the_video_in_every_container(void) {
    static const struct { const char *name; uint32_t flags; double tolerance; } files[] = {
        {"step.mp4", 0, 0.001}, {"fragments.mp4", NALU_WRITER_FRAGMENTED, 0.001}, {"fast.mov", NALU_WRITER_FAST_START, 0.001},
        {"step.mkv", 0, 0.002}, {"step.ts", 0, 0.001}, {"step.flv", 0, 0.002},
    };
    clip video;
    media_clip(&video, 64, 48, 90);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (int begins = 0; begins < 2; begins++) {
            const char *path = test_path(files[i].name);
            /* The clip's times begin at 0. The device's times begin there too, or 0.3 seconds before. */
            device it = {.rate = 48000, .channels = 2, .speed = 1, .start = begins ? -0.3 : 0, .jitter = 0.001};
            nalu_audio_encoder *encoder = encoder_for(&it);
            nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
            options.flags = files[i].flags | NALU_WRITER_OVERWRITE | NALU_WRITER_START_AT_ZERO;
            nalu_writer *writer = media_writer_to(path, &options);
            uint32_t pictures = 0, audio = 0;
            REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(video.samples[0]), NULL, &pictures));
            REQUIRE_OK(nalu_writer_add_track(writer, nalu_audio_encoder_get_format_description(encoder), NULL, &audio));
            nalu_time next = none;
            for (int32_t n = 0; n < video.count; n++) {
                capture_until(&it, n / 30.0, encoder, writer, audio, &next);
                CHECK_OK(nalu_writer_write_sample(writer, pictures, video.samples[n]));
            }
            CHECK_OK(nalu_audio_encoder_finish(encoder));
            write_samples(encoder, writer, audio, &next);
            media_finish(writer);
            nalu_audio_encoder_release(encoder);
            CHECK_STR_EQ(media_run(NULL, "ffprobe -v error -select_streams a -show_entries "
                "stream=codec_name,profile,sample_rate,channels -of csv=p=0 '%s' | head -n 1", path), "aac,LC,48000,2\n");
            CHECK_STR_EQ(media_run(NULL, "ffmpeg -nostdin -v error -i '%s' -f null - 2>&1", path), "");
            CHECK_EQ(check_beeps(path, 0, first_picture(path), files[i].tolerance + 0.002), 3);
        }
    clip_close(&video);
}

/* A minute here, and an hour in scripts/soak. */
static void the_drift_of_the_device_is_corrected(void) {
    const double length = getenv("NALU_SOAK") ? 3600 : 60, speeds[] = {1.001, 0.999};
    clip video;
    media_clip(&video, 64, 48, 1);
    for (int i = 0; i < 2; i++) {
        const char *path = test_path("drift.mkv");
        device it = {.rate = 8000, .channels = 1, .speed = speeds[i], .jitter = 0.004, .is_float = i};
        nalu_audio_encoder *encoder = encoder_for(&it);
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = NALU_WRITER_OVERWRITE;
        nalu_writer *writer = media_writer_to(path, &options);
        uint32_t audio = 0;
        REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(video.samples[0]), NULL, NULL));
        REQUIRE_OK(nalu_writer_add_track(writer, nalu_audio_encoder_get_format_description(encoder), NULL, &audio));
        CHECK_OK(nalu_writer_write_sample(writer, 0, video.samples[0]));
        nalu_time next = none;
        double worst = 0;
        nalu_audio_encoder_counts counts = {.struct_size = sizeof counts};
        for (int second = 1; second <= length; second++) {
            capture_until(&it, second, encoder, writer, audio, &next);
            CHECK_OK(nalu_audio_encoder_get_counts(encoder, &counts));
            worst = fmax(worst, fabs(counts.offset));
        }
        CHECK_OK(nalu_audio_encoder_finish(encoder));
        write_samples(encoder, writer, audio, &next);
        media_finish(writer);
        CHECK_EQ(counts.inserted_frames, 0);
        CHECK_EQ(counts.dropped_frames, 0);
        CHECK_NEAR((double)counts.frames_in - (double)counts.frames_out, length * 8000 * (it.speed - 1), 8000 * 0.02 + 1024);
        CHECK(worst < 0.01);
        /* Without correction, the last beep of a minute would be off by 60 ms. */
        CHECK_NEAR(check_beeps(path, 0, first_picture(path), 0.02), length, 1);
        printf("  speed %.3f: worst offset %.1f ms in %.0f s\n", it.speed, 1e3 * worst, length);
        nalu_audio_encoder_release(encoder);
    }
    clip_close(&video);
}

/* The audio of a device, encoded into a file that has one picture too. */
typedef struct recording {
    const char *path;
    device it;
    nalu_audio_encoder *encoder;
    nalu_writer *writer;
    uint32_t track;
    nalu_time next;
} recording;

static recording begin_recording(const char *name, device it) {
    recording r = {.path = test_path(name), .it = it, .next = none};
    clip video;
    r.encoder = encoder_for(&r.it);
    media_clip(&video, 64, 48, 1);
    r.writer = media_writer_to(r.path, NULL);
    REQUIRE_OK(nalu_writer_add_track(r.writer, nalu_sample_get_format_description(video.samples[0]), NULL, NULL));
    REQUIRE_OK(nalu_writer_add_track(r.writer, nalu_audio_encoder_get_format_description(r.encoder), NULL, &r.track));
    CHECK_OK(nalu_writer_write_sample(r.writer, 0, video.samples[0]));
    clip_close(&video);
    return r;
}

static void record_until(recording *r, double seconds) {
    capture_until(&r->it, seconds, r->encoder, r->writer, r->track, &r->next);
}

/* The device loses `seconds`, or delivers them again if they are below 0. */
static void lose(recording *r, double seconds) {
    r->it.captured = (uint64_t)((int64_t)r->it.captured + (int64_t)(seconds * r->it.rate));
}

/* Writes the rest, checks the number of beeps, and returns the encoder's corrections. */
static nalu_audio_encoder_counts finish_beeps(recording *r, double tolerance, int beeps) {
    nalu_audio_encoder_counts counts = {.struct_size = sizeof counts};
    CHECK_OK(nalu_audio_encoder_finish(r->encoder));
    write_samples(r->encoder, r->writer, r->track, &r->next);
    CHECK_OK(nalu_writer_finish(r->writer));
    CHECK_OK(nalu_audio_encoder_get_counts(r->encoder, &counts));
    CHECK_EQ(check_beeps(r->path, 0, first_picture(r->path), tolerance), beeps);
    nalu_writer_release(r->writer);
    nalu_audio_encoder_release(r->encoder);
    return counts;
}

static void missing_and_repeated_frames_are_made_up_for(void) {
    recording r = begin_recording("gap.mkv", (device){.rate = 16000, .channels = 1, .speed = 1, .jitter = 0.001});
    record_until(&r, 2.9);
    lose(&r, 0.4);
    record_until(&r, 6.7);
    lose(&r, -0.3);
    record_until(&r, 8.7);
    lose(&r, 0.1);
    record_until(&r, 12.5);
    const nalu_audio_encoder_counts counts = finish_beeps(&r, 0.01, 12);
    CHECK_NEAR((double)counts.inserted_frames, 16000 * 0.5, 16000 * 0.01);
    CHECK_NEAR((double)counts.dropped_frames, 16000 * 0.3, 16000 * 0.01);
}

/*
 * A busy machine loses audio several times in a row. The last gap of each run ends 2 to 12 ms before a beep, and the beep
 * must be in its place, while the device's clock is 0.1 % fast and times jitter.
 */
static void audio_is_in_step_right_after_several_discontinuities(void) {
    static const struct { double length; int count; } runs[] = {
        {0.018, 1}, {0.05, 1}, {0.03, 3}, {0.02, 5}, {0.12, 2}, {0.2, 1}, {-0.018, 1}, {-0.06, 1}, {-0.03, 3}, {-0.2, 1}};
    enum { runs_count = sizeof runs / sizeof runs[0] };
    recording r = begin_recording("gaps.mkv", (device){.rate = 16000, .channels = 1, .speed = 1.001, .jitter = 0.002});
    double lost = 0, repeated = 0;
    for (int i = 0; i < runs_count; i++) {
        const double beep = 2.5 + 2 * i, length = runs[i].length;
        record_until(&r, beep + 0.01 - runs[i].count * (length + 0.01) - 0.012);
        for (int n = 0; n < runs[i].count; n++) {
            /* One buffer is captured between two discontinuities. */
            if (n > 0) record_until(&r, device_time(&r.it, r.it.captured) + 0.005);
            lose(&r, length);
            *(length > 0 ? &lost : &repeated) += fabs(length);
        }
        record_until(&r, beep + 0.2);
    }
    record_until(&r, 3 + 2 * runs_count);
    const nalu_audio_encoder_counts counts = finish_beeps(&r, 0.01, 3 + 2 * runs_count);
    CHECK_NEAR((double)counts.inserted_frames, 16000 * lost, 16000 * 0.005 * 16);
    CHECK_NEAR((double)counts.dropped_frames, 16000 * repeated, 16000 * 0.005 * 6);
    CHECK(fabs(counts.offset) < 0.01);
}

static void jitter_inserts_nothing(void) {
    for (int i = -1; i <= 1; i++) {
        device it = {.rate = 16000, .channels = 1, .speed = 1 + 0.001 * i, .jitter = 0.006};
        nalu_audio_encoder *encoder = encoder_for(&it);
        nalu_time next = none;
        nalu_audio_encoder_counts counts = {.struct_size = sizeof counts};
        capture_until(&it, 60, encoder, NULL, 0, &next);
        CHECK_OK(nalu_audio_encoder_get_counts(encoder, &counts));
        CHECK_EQ(counts.inserted_frames, 0);
        CHECK_EQ(counts.dropped_frames, 0);
        CHECK(fabs(counts.offset) < 0.01);
        nalu_audio_encoder_release(encoder);
    }
}

/* The first time is exact, because a wrong one is only corrected within seconds. */
static void jitter_of_40_ms_inserts_nothing_and_hides_no_drift(void) {
    for (int i = -1; i <= 1; i++) {
        recording r = begin_recording("jitter.mkv", (device){.rate = 16000, .channels = 1, .speed = 1 + 0.001 * i});
        record_until(&r, 0.005);
        r.it.jitter = 0.04;
        record_until(&r, 60);
        const nalu_audio_encoder_counts counts = finish_beeps(&r, 0.02, 60);
        CHECK_EQ(counts.inserted_frames, 0);
        CHECK_EQ(counts.dropped_frames, 0);
        /* Without correction, the last beep would be off by 60 ms. */
        CHECK_NEAR((double)counts.frames_in - (double)counts.frames_out, 60 * 16 * i, 16 * 20);
        unlink(r.path);
    }
}

static void a_gap_is_kept_although_times_jitter(void) {
    static const double lengths[] = {0.1, -0.1, 0.3, 0.1};
    recording r = begin_recording("jitter-gaps.mkv", (device){.rate = 16000, .channels = 1, .speed = 1});
    record_until(&r, 0.005);
    r.it.jitter = 0.04;
    for (int i = 0; i < 4; i++) {
        /* No beep is lost or repeated, and one begins at most 0.4 seconds after each gap. */
        record_until(&r, 4 * i + 4.1);
        lose(&r, lengths[i]);
    }
    record_until(&r, 20);
    const nalu_audio_encoder_counts counts = finish_beeps(&r, 0.02, 20);
    CHECK_NEAR((double)counts.inserted_frames, 16000 * 0.5, 16000 * 0.04);
    CHECK_NEAR((double)counts.dropped_frames, 16000 * 0.1, 16000 * 0.02);
}

/* Encodes the buffers of `seconds`, all stamped at the end of a stall: one right after the other. */
static void capture_stalled(device *it, double seconds, nalu_audio_encoder *encoder) {
    int16_t frames[160];
    const double end = device_time(it, it->captured) + seconds;
    for (int i = 0; device_time(it, it->captured) < end - 0.001; i++) {
        device_capture(it, 160, frames);
        const nalu_time time = nalu_time_make((int64_t)((end + i * 1e-4) * 1e9), 1000000000);
        REQUIRE_OK(nalu_audio_encoder_encode(encoder, frames, 160, NALU_AUDIO_INT16, time));
    }
}

static void late_buffers_are_no_gap(void) {
    static const double stalls[] = {0.03, 0.08, 0.2, 0.7, 1.5};
    recording r = begin_recording("stalls.mkv", (device){.rate = 16000, .channels = 1, .speed = 1, .jitter = 0.001});
    for (int i = 0; i < 5; i++) {
        record_until(&r, 4 * i + 3.3);
        capture_stalled(&r.it, stalls[i], r.encoder);
    }
    record_until(&r, 22);
    const nalu_audio_encoder_counts counts = finish_beeps(&r, 0.01, 22);
    CHECK_EQ(counts.inserted_frames, 0);
    CHECK_EQ(counts.dropped_frames, 0);
}

/* The first time is early by as much as the times jitter. Resampling closes the difference. */
static void a_wrong_first_time_inserts_nothing(void) {
    for (int i = -1; i <= 1; i += 2) {
        device it = {.rate = 16000, .channels = 1, .speed = 1, .start = 0.04 * i};
        nalu_audio_encoder *encoder = encoder_for(&it);
        nalu_time next = none;
        nalu_audio_encoder_counts counts = {.struct_size = sizeof counts};
        capture_until(&it, it.start + 0.005, encoder, NULL, 0, &next);
        it.start = 0;
        it.jitter = 0.04;
        capture_until(&it, 5, encoder, NULL, 0, &next);
        CHECK_OK(nalu_audio_encoder_get_counts(encoder, &counts));
        CHECK_EQ(counts.inserted_frames, 0);
        CHECK_EQ(counts.dropped_frames, 0);
        if (!CHECK(fabs(counts.offset) < 0.015)) fprintf(stderr, "first time %+d: offset %.4f\n", i, counts.offset);
        nalu_audio_encoder_release(encoder);
    }
}

int main(void) {
    RUN(arguments_out_of_range_are_refused);
    RUN(frames_and_times_are_checked);
    RUN(functions_for_video_refuse_audio);
    RUN(every_rate_and_number_of_channels_is_encoded);
    RUN(audio_is_in_step_with_the_video_in_every_container);
    RUN(the_drift_of_the_device_is_corrected);
    RUN(missing_and_repeated_frames_are_made_up_for);
    RUN(audio_is_in_step_right_after_several_discontinuities);
    RUN(jitter_inserts_nothing);
    RUN(jitter_of_40_ms_inserts_nothing_and_hides_no_drift);
    RUN(a_gap_is_kept_although_times_jitter);
    RUN(late_buffers_are_no_gap);
    RUN(a_wrong_first_time_inserts_nothing);
    return check_result();
}
