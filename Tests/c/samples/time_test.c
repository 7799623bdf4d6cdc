/* Versions, the names of statuses, the message of the last error, and the arithmetic of times. */
#include "check.h"

#include <pthread.h>

static void the_version_is_that_of_the_header(void) {
    char text[32];
    CHECK_EQ(nalu_version(), NALU_VERSION_MAJOR * 1000000 + NALU_VERSION_MINOR * 1000 + NALU_VERSION_PATCH);
    snprintf(text, sizeof text, "%d.%d.%d", NALU_VERSION_MAJOR, NALU_VERSION_MINOR, NALU_VERSION_PATCH);
    CHECK_STR_EQ(nalu_version_string(), text);
    CHECK_PTR_EQ(nalu_version_string(), nalu_version_string());
}

static void every_status_has_its_name(void) {
#define NAME(name) CHECK_STR_EQ(nalu_status_string(NALU_STATUS_##name), #name)
    NAME(OK), NAME(INVALID_PIXEL_FORMAT), NAME(INVALID_SIZE), NAME(VALUE_NOT_AVAILABLE), NAME(PROPERTY_NOT_SUPPORTED);
    NAME(PROPERTY_READ_ONLY), NAME(PARAMETER), NAME(INVALID_SESSION), NAME(ALLOCATION_FAILED);
    NAME(PIXEL_TRANSFER_NOT_SUPPORTED), NAME(COULD_NOT_CREATE_INSTANCE), NAME(COULD_NOT_FIND_VIDEO_ENCODER);
    NAME(BAD_DATA), NAME(UNSUPPORTED_DATA_FORMAT), NAME(ENCODER_MALFUNCTION), NAME(WOULD_BLOCK), NAME(REENTRANT);
    NAME(WRONG_TYPE), NAME(OUT_OF_RANGE), NAME(TOO_LATE), NAME(CONFLICT), NAME(INVALID_HANDLE), NAME(INVALID_TIME);
    NAME(BUFFER_TOO_SMALL), NAME(UNSUPPORTED_OPTION), NAME(MULTI_PASS_STORAGE_INVALID), NAME(OUT_OF_ORDER);
    const nalu_status unknown[] = {1, -1, -17999, -17899, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        CHECK_STR_EQ(nalu_status_string(unknown[i]), "UNKNOWN");
}

static void *other_thread(void *unused) {
    (void)unused;
    CHECK_STR_EQ(nalu_last_error_message(), "");
    CHECK_STATUS(nalu_pixel_buffer_create(0, 16, NALU_PIXEL_FORMAT_420V, &(nalu_pixel_buffer *){NULL}),
                 NALU_STATUS_INVALID_SIZE);
    CHECK(strstr(nalu_last_error_message(), "width") != NULL);
    return NULL;
}

static void the_last_error_is_that_of_the_thread(void) {
    pthread_t thread;
    nalu_pixel_buffer *buffer = NULL;
    CHECK_STR_EQ(nalu_last_error_message(), "");
    CHECK_STATUS(nalu_pixel_buffer_create(16, -7, NALU_PIXEL_FORMAT_420V, &buffer), NALU_STATUS_INVALID_SIZE);
    CHECK(strstr(nalu_last_error_message(), "height") != NULL && strstr(nalu_last_error_message(), "-7") != NULL);

    /* A success keeps the message, and another thread has its own. */
    char before[256];
    snprintf(before, sizeof before, "%s", nalu_last_error_message());
    REQUIRE_OK(nalu_pixel_buffer_create(16, 16, NALU_PIXEL_FORMAT_420V, &buffer));
    nalu_pixel_buffer_release(buffer);
    CHECK_STR_EQ(nalu_last_error_message(), before);
    REQUIRE(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK_STR_EQ(nalu_last_error_message(), before);
}

static void check_time(nalu_time time, int64_t value, int32_t timescale, uint32_t flags, int64_t epoch, int line) {
    char values[256];
    snprintf(values, sizeof values, "line %d: %lld/%d flags %u epoch %lld", line, (long long)time.value, time.timescale,
             time.flags, (long long)time.epoch);
    check_that(time.value == value && time.timescale == timescale && time.flags == flags && time.epoch == epoch,
               __FILE__, line, "time", values);
}
#define CHECK_TIME(time, value, timescale, flags) check_time((time), (value), (timescale), (flags), 0, __LINE__)

enum { VALID = NALU_TIME_VALID, ROUNDED = NALU_TIME_VALID | NALU_TIME_HAS_BEEN_ROUNDED };

static nalu_time infinite(int negative) {
    nalu_time time = {0, 0, 0, 0};
    time.flags = NALU_TIME_VALID | (negative ? NALU_TIME_NEGATIVE_INFINITY : NALU_TIME_POSITIVE_INFINITY);
    return time;
}

static void times_are_made_from_their_parts(void) {
    CHECK_TIME(nalu_time_make(3, 30), 3, 30, VALID);
    CHECK_TIME(nalu_time_make(INT64_MIN, INT32_MAX), INT64_MIN, INT32_MAX, VALID);
    CHECK_TIME(nalu_time_make(3, 0), 0, 0, 0);
    CHECK_TIME(nalu_time_make(3, -1), 0, 0, 0);
    CHECK_TIME(nalu_time_make(3, INT32_MIN), 0, 0, 0);
    CHECK_TIME(nalu_time_invalid(), 0, 0, 0);
    CHECK_TIME(nalu_time_zero(), 0, 1, VALID);
    CHECK_TIME(nalu_time_indefinite(), 0, 0, NALU_TIME_VALID | NALU_TIME_INDEFINITE);

    CHECK_TIME(nalu_time_make_with_seconds(1.5, 600), 900, 600, VALID);
    CHECK_TIME(nalu_time_make_with_seconds(-0.25, 4), -1, 4, VALID);
    CHECK_TIME(nalu_time_make_with_seconds(1.0 / 3, 100), 33, 100, ROUNDED);
    CHECK_TIME(nalu_time_make_with_seconds(1e18, 600), 9000000000000000000, 9, VALID);
    CHECK_TIME(nalu_time_make_with_seconds(NAN, 600), 0, 0, 0);
    CHECK_EQ(nalu_time_compare(nalu_time_make_with_seconds(INFINITY, 600), infinite(0)), 0);
    CHECK_EQ(nalu_time_compare(nalu_time_make_with_seconds(-INFINITY, 600), infinite(1)), 0);
    CHECK_EQ(nalu_time_is_numeric(nalu_time_make_with_seconds(1e300, 600)), 0);
    CHECK_EQ(nalu_time_is_numeric(nalu_time_make_with_seconds(1, 0)), 0);
    CHECK_EQ(nalu_time_is_numeric(nalu_time_make_with_seconds(1, INT32_MIN)), 0);
}

static void kinds_of_times_are_distinguished(void) {
    CHECK_EQ(nalu_time_is_numeric(nalu_time_zero()), 1);
    CHECK_EQ(nalu_time_is_numeric(nalu_time_invalid()), 0);
    CHECK_EQ(nalu_time_is_numeric(nalu_time_indefinite()), 0);
    CHECK_EQ(nalu_time_is_numeric(infinite(0)), 0);
    nalu_time odd = {1, -30, NALU_TIME_VALID, 0};
    CHECK_EQ(nalu_time_is_numeric(odd), 0);
    odd.timescale = 30, odd.flags = ~0u;
    CHECK_EQ(nalu_time_is_numeric(odd), 0);

    CHECK_NEAR(nalu_time_get_seconds(nalu_time_make(1, 3)), 1.0 / 3, 0);
    CHECK_NEAR(nalu_time_get_seconds(nalu_time_make(INT64_MIN, 1)), -9223372036854775808.0, 0);
    CHECK(isnan(nalu_time_get_seconds(nalu_time_invalid())));
    CHECK(isnan(nalu_time_get_seconds(nalu_time_indefinite())));
    CHECK(nalu_time_get_seconds(infinite(0)) == INFINITY);
    CHECK(nalu_time_get_seconds(infinite(1)) == -INFINITY);
}

static void times_are_added_and_subtracted(void) {
    CHECK_TIME(nalu_time_add(nalu_time_make(1, 3), nalu_time_make(1, 4)), 7, 12, VALID);
    CHECK_TIME(nalu_time_subtract(nalu_time_make(1, 3), nalu_time_make(1, 3)), 0, 3, VALID);
    CHECK_EQ(nalu_time_compare(nalu_time_add(infinite(0), nalu_time_zero()), infinite(0)), 0);
    CHECK_EQ(nalu_time_compare(nalu_time_subtract(nalu_time_zero(), infinite(0)), infinite(1)), 0);

    nalu_time epoch = nalu_time_make(5, 10);
    epoch.epoch = 2;
    check_time(nalu_time_add(epoch, nalu_time_make(1, 10)), 6, 10, VALID, 2, __LINE__);
    CHECK_TIME(nalu_time_subtract(epoch, epoch), 0, 10, VALID);
    CHECK_TIME(nalu_time_add(epoch, epoch), 10, 10, VALID);
    nalu_time other = epoch;
    other.epoch = 3;
    CHECK_TIME(nalu_time_add(epoch, other), 0, 0, 0);
    CHECK_TIME(nalu_time_subtract(epoch, other), 0, 0, 0);
}

static void times_are_ordered(void) {
    nalu_time later = nalu_time_make(-5, 1), up[7];
    later.epoch = 1;
    up[0] = infinite(1), up[1] = nalu_time_make(-1, 2), up[2] = nalu_time_make(INT64_MAX, INT32_MAX), up[3] = later;
    up[4] = nalu_time_indefinite(), up[5] = infinite(0), up[6] = nalu_time_invalid();
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) CHECK_EQ(nalu_time_compare(up[i], up[j]), (i > j) - (i < j));
    CHECK_EQ(nalu_time_compare(nalu_time_make(1, 2), nalu_time_make(2, 4)), 0);
    CHECK_EQ(nalu_time_compare(nalu_time_make(INT64_MAX, 3), nalu_time_make(INT64_MAX, 2)), -1);
    CHECK_EQ(nalu_time_compare(nalu_time_make(INT64_MAX - 1, INT32_MAX), nalu_time_make(INT64_MAX, INT32_MAX)), -1);
}

static void times_are_converted_to_timescales(void) {
    CHECK_TIME(nalu_time_convert_scale(nalu_time_make(1, 30), 600), 20, 600, VALID);
    CHECK_TIME(nalu_time_convert_scale(nalu_time_make(1, 3), 10), 3, 10, ROUNDED);
    CHECK_TIME(nalu_time_convert_scale(nalu_time_make(1, 2), 1), 1, 1, ROUNDED);
    CHECK_TIME(nalu_time_convert_scale(nalu_time_make(-1, 2), 1), -1, 1, ROUNDED);
    CHECK_TIME(nalu_time_convert_scale(nalu_time_make(1, 2), 0), 0, 0, 0);
    CHECK_TIME(nalu_time_convert_scale(nalu_time_make(1, 2), -5), 0, 0, 0);
    CHECK_TIME(nalu_time_convert_scale(nalu_time_indefinite(), 600), 0, 0, NALU_TIME_VALID | NALU_TIME_INDEFINITE);
    CHECK_EQ(nalu_time_is_numeric(nalu_time_convert_scale(nalu_time_make(INT64_MAX, 1), INT32_MAX)), 0);
}

/* The rounding of an argument. VideoToolbox's time_test.c compares all roundings with a formula. */
static void an_argument_chooses_the_rounding(void) {
    static const struct {
        int32_t rounding;
        int64_t half, minus_half, third; /* 1/2, -1/2 and 1/3 in whole seconds */
    } all[] = {{NALU_ROUNDING_HALF_AWAY_FROM_ZERO, 1, -1, 0}, {NALU_ROUNDING_TOWARD_ZERO, 0, 0, 0},
        {NALU_ROUNDING_AWAY_FROM_ZERO, 1, -1, 1}, {NALU_ROUNDING_QUICKTIME, 0, -1, 0},
        {NALU_ROUNDING_TOWARD_POSITIVE_INFINITY, 1, 0, 1}, {NALU_ROUNDING_TOWARD_NEGATIVE_INFINITY, 0, -1, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int32_t rounding = all[i].rounding;
        CHECK_TIME(nalu_time_convert_scale_rounding(nalu_time_make(1, 2), 1, rounding), all[i].half, 1, ROUNDED);
        CHECK_TIME(nalu_time_convert_scale_rounding(nalu_time_make(-1, 2), 1, rounding), all[i].minus_half, 1, ROUNDED);
        CHECK_TIME(nalu_time_convert_scale_rounding(nalu_time_make(1, 3), 1, rounding), all[i].third, 1, ROUNDED);
        CHECK_TIME(nalu_time_convert_scale_rounding(nalu_time_make(1, 30), 600, rounding), 20, 600, VALID);
        CHECK_TIME(nalu_time_make_with_seconds_rounding(0.5, 1, rounding), all[i].half, 1, ROUNDED);
        CHECK_TIME(nalu_time_make_with_seconds_rounding(0.7, 10, rounding), 7, 10, VALID);
        CHECK_EQ(nalu_time_is_numeric(nalu_time_make_with_seconds_rounding(0x1p63, 1, rounding)), 0);
        CHECK_TIME(nalu_time_make_with_seconds_rounding(NAN, 600, rounding), 0, 0, 0);
    }
    CHECK_TIME(nalu_time_make_with_seconds_rounding(0.1, 15, NALU_ROUNDING_TOWARD_ZERO), 1, 15, ROUNDED);
    CHECK_TIME(nalu_time_make_with_seconds_rounding(0.1, 15, NALU_ROUNDING_HALF_AWAY_FROM_ZERO), 2, 15, ROUNDED);
    for (int32_t rounding = 0; rounding <= 7; rounding += 7) {
        CHECK_TIME(nalu_time_convert_scale_rounding(nalu_time_make(1, 2), 1, rounding), 0, 0, 0);
        CHECK_TIME(nalu_time_make_with_seconds_rounding(0.5, 1, rounding), 0, 0, 0);
    }
}

int main(void) {
    RUN(the_last_error_is_that_of_the_thread);
    RUN(the_version_is_that_of_the_header);
    RUN(every_status_has_its_name);
    RUN(times_are_made_from_their_parts);
    RUN(kinds_of_times_are_distinguished);
    RUN(times_are_added_and_subtracted);
    RUN(times_are_ordered);
    RUN(times_are_converted_to_timescales);
    RUN(an_argument_chooses_the_rounding);
    return check_result();
}
