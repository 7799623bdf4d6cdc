/* Invalid handles: objects of another type, memory without an object, misaligned addresses; and sessions that
 * have been invalidated. */
#include "clip.h"
#include "no_object.h"
#include "refusal.h"

static clip c;
static nalu_pixel_buffer *buffer;
static nalu_pixel_buffer_pool *pool;
static nalu_format_description *format;
static zeros nothing;

/* Checks that the error message names the argument, the address and the expected type. */
static void no_handle(nalu_status status, const char *name, const void *handle, const char *kind, int line) {
    char address[40];
    snprintf(address, sizeof address, "%s is 0x%llx", name, (unsigned long long)(uintptr_t)handle);
    check_refused(status, NALU_STATUS_INVALID_HANDLE, (const char *const[]){address, kind, NULL}, __FILE__, line, name);
}
#define NO_HANDLE(call, name, handle, kind) no_handle((call), name, (handle), "nalu_" kind, __LINE__)

/* Checks that calls of a session return the status, with the words in the error message, and change nothing. */
static void check_calls(nalu_compression_session *s, nalu_status status, const char *const *words) {
    const nalu_time now = nalu_time_make(100, 30);
    const void *planes[2] = {c.pixels, c.pixels};
    const int64_t strides[2] = {64, 64};
    const nalu_property row = {.key = NALU_PROPERTY_QUALITY, .type = NALU_PROPERTY_TYPE_UNSET};
    const double numbers[2] = {1, 1};
    nalu_frame_options at_once = NALU_FRAME_OPTIONS_INIT;
    int64_t integer = 5;
    double number = 5;
    int32_t truth = 5;
    size_t size = 5;
    char text[16] = "same";
    double out[1];
    at_once.flags = NALU_FRAME_DO_NOT_WAIT;
#define BAD(call) check_refused((call), status, words, __FILE__, __LINE__, #call)
    BAD(nalu_compression_session_prepare(s));
    BAD(nalu_compression_session_encode_frame(s, buffer, now, now, NULL, NULL, NULL));
    for (int i = 0; i < 2; i++)
        BAD(nalu_compression_session_encode_planes(s, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, now, now,
                                                   i ? &at_once : NULL, NULL, NULL));
    BAD(nalu_compression_session_complete_frames(s, now));
    BAD(nalu_compression_session_complete_frames(s, nalu_time_invalid()));
    BAD(nalu_session_set_int64(s, "MaxKeyFrameInterval", 1));
    BAD(nalu_session_set_double(s, "Quality", 1));
    BAD(nalu_session_set_bool(s, "NaluAllowScaling", 1));
    BAD(nalu_session_set_string(s, tested()->late, tested()->values[0]));
    BAD(nalu_session_set_numbers(s, "PixelAspectRatio", numbers, 2));
    BAD(nalu_session_set_numbers(s, "DataRateLimits", NULL, 0));
    BAD(nalu_session_unset_property(s, "Quality"));
    BAD(nalu_session_set_properties(s, &row, 1));
    BAD(nalu_session_set_properties(s, NULL, 0));
    BAD(nalu_session_set_properties_from_text(s, "Quality=1"));
    BAD(nalu_session_copy_properties_as_text(s, text, sizeof text, &size));
    BAD(nalu_session_get_int64(s, "MaxKeyFrameInterval", &integer));
    BAD(nalu_session_get_double(s, "ExpectedFrameRate", &number));
    BAD(nalu_session_get_bool(s, "NaluAllowScaling", &truth));
    BAD(nalu_session_copy_string(s, "EncoderID", text, sizeof text, &size));
    BAD(nalu_session_copy_numbers(s, "DataRateLimits", out, 1, &size));
#undef BAD
    CHECK(integer == 5 && number == 5 && truth == 5 && size == 5 && strcmp(text, "same") == 0);
    CHECK_PTR_EQ(nalu_compression_session_get_pixel_buffer_pool(s), NULL);
    CHECK_PTR_EQ(nalu_compression_session_retain(s), s);
    nalu_compression_session_release(s);
}

static void try_session(const void *handle) {
    nalu_compression_session *s = (nalu_compression_session *)(uintptr_t)handle;
    size_t size = 5;
    char text[16] = "same", address[40];
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    NO_HANDLE(nalu_compression_session_invalidate(s), "session", handle, "compression_session");
    NO_HANDLE(nalu_compression_session_copy_last_error(s, text, sizeof text, &size), "session", handle, "compression_session");
    NO_HANDLE(nalu_compression_session_get_statistics(s, &statistics), "session", handle, "compression_session");
    CHECK(size == 5 && strcmp(text, "same") == 0);
    snprintf(address, sizeof address, "session is 0x%llx", (unsigned long long)(uintptr_t)handle);
    check_calls(s, NALU_STATUS_INVALID_HANDLE, (const char *const[]){address, "nalu_compression_session", NULL});
}

static void try_buffer(const void *handle) {
    nalu_pixel_buffer *b = (nalu_pixel_buffer *)(uintptr_t)handle;
    const nalu_time now = nalu_time_make(100, 30);
    NO_HANDLE(nalu_compression_session_encode_frame(c.session, b, now, now, NULL, NULL, NULL), "buffer", handle,
              "pixel_buffer");
    NO_HANDLE(nalu_pixel_transfer_image(b, buffer, 0), "source", handle, "pixel_buffer");
    NO_HANDLE(nalu_pixel_transfer_image(buffer, b, 0), "destination", handle, "pixel_buffer");
    check_no_pixel_buffer(b);
}

static void try_pool(const void *handle) {
    nalu_pixel_buffer_pool *p = (nalu_pixel_buffer_pool *)(uintptr_t)handle;
    nalu_pixel_buffer *made = STALE;
    NO_HANDLE(nalu_pixel_buffer_pool_create_pixel_buffer(p, &made), "pool", handle, "pixel_buffer_pool");
    CHECK_PTR_EQ(made, NULL);
    CHECK_PTR_EQ(nalu_pixel_buffer_pool_retain(p), p);
    nalu_pixel_buffer_pool_release(p);
}

static void try_format(const void *handle) {
    nalu_format_description *f = (nalu_format_description *)(uintptr_t)handle;
    nalu_sequence_info info = {.struct_size = sizeof info, .width = 7};
    NO_HANDLE(nalu_format_description_get_sequence_info(f, &info), "format", handle, "format_description");
    CHECK_EQ(info.width, 7);
    check_no_format(f, format);
}

static void try_sample(const void *handle) {
    nalu_sample *s = (nalu_sample *)(uintptr_t)handle;
    size_t size = 5;
    NO_HANDLE(nalu_sample_copy_annex_b(s, 0, NULL, 0, &size), "sample", handle, "sample");
    CHECK_EQ(size, 5);
    check_no_sample(s);
}

static void wrong_handles_are_refused(void) {
    const void *handles[] = {c.session, buffer, pool, format, c.samples[0], nothing.bytes, (char *)c.session + 1,
                             (char *)&nothing + 8, (void *)(uintptr_t)1};
    void (*const kinds[])(const void *) = {try_session, try_buffer, try_pool, try_format, try_sample};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
            if (i != kind) kinds[kind](handles[i]);
    for (size_t i = 0; i < sizeof nothing.bytes; i++) CHECK_EQ(nothing.bytes[i], 0);
}

static void invalidated_sessions_refuse_calls(void) {
    size_t size = 5;
    char text[16];
    clip gone;
    clip_open(&gone, 64, 48);
    clip_encode_all(&gone, 2);
    nalu_compression_session *s = gone.session;
    CHECK(nalu_compression_session_get_pixel_buffer_pool(s) != NULL);
    REQUIRE_OK(nalu_compression_session_invalidate(s));
    CHECK_OK(nalu_compression_session_invalidate(s));
    check_calls(s, NALU_STATUS_INVALID_SESSION, (const char *const[]){"session", "invalidated", NULL});
    /* An invalidated session is still a live handle: its last error can be read. */
    CHECK_OK(nalu_compression_session_copy_last_error(s, text, sizeof text, &size));
    CHECK_STR_EQ(text, "");
    CHECK_EQ(gone.count, 2);
    clip_close(&gone);
}

int main(void) {
    clip_open(&c, 64, 48);
    clip_encode_all(&c, 1);
    format = nalu_sample_get_format_description(c.samples[0]);
    pool = nalu_compression_session_get_pixel_buffer_pool(c.session);
    REQUIRE_OK(nalu_pixel_buffer_create(64, 48, NALU_PIXEL_FORMAT_420V, &buffer));
    RUN(wrong_handles_are_refused);
    RUN(invalidated_sessions_refuse_calls);
    /* The rejected calls did not change the objects. */
    clip_encode_all(&c, 1);
    nalu_pixel_buffer_release(buffer);
    clip_close(&c);
    return check_result();
}
