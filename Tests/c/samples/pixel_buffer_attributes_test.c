/* PixelBufferPoolIsShared and VideoEncoderPixelBufferAttributes: if they state so, a frame's own memory is used
 * until the frame is encoded. Otherwise the frame is converted, and its memory is free when encode returns. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct gate {
    pthread_mutex_t closed;
    int released; /* wrapping buffers that are no longer read */
} gate;

static void stop_at_gate(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                         nalu_sample *sample) {
    gate *g = (gate *)refcon;
    (void)frame, (void)status, (void)flags, (void)sample;
    pthread_mutex_lock(&g->closed);
    pthread_mutex_unlock(&g->closed);
}

static void note_release(void *refcon) { __atomic_add_fetch((int *)refcon, 1, __ATOMIC_SEQ_CST); }

/* Wraps a grey frame in the caller's memory. */
static nalu_pixel_buffer *wrap(int32_t width, int32_t height, nalu_pixel_format format, uint8_t *memory, int *released) {
    static const nalu_pixel_format one_plane[] = {NALU_PIXEL_FORMAT_BGRA, NALU_PIXEL_FORMAT_L008};
    static const nalu_pixel_format three_planes[] = {NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_F420};
    uint32_t count = 2;
    for (size_t i = 0; i < 2; i++) {
        if (format == one_plane[i]) count = 1;
        if (format == three_planes[i]) count = 3;
    }
    const size_t row = (size_t)width * 4;
    const void *planes[3] = {memory, memory + row * (size_t)height, memory + 2 * row * (size_t)height};
    const int64_t strides[3] = {(int64_t)row, (int64_t)row, (int64_t)row};
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(width, height, format, count, planes, strides, NULL, note_release,
                                                    released, &buffer));
    return buffer;
}

typedef struct form {
    int32_t width, height;
    nalu_pixel_format pool;
    const char *properties, *attributes;
    int shared;
} form;

static const form forms[] = {
    {64, 48, 0, "", "PixelFormatType=\"420v\",Width=64,Height=48,BytesPerRowAlignment=64", 1},
    {64, 48, NALU_PIXEL_FORMAT_420F, "", "PixelFormatType=\"420f\",Width=64,Height=48,BytesPerRowAlignment=64", 1},
    {64, 48, NALU_PIXEL_FORMAT_F420, "", "PixelFormatType=\"420f\",Width=64,Height=48,BytesPerRowAlignment=64", 1},
    {64, 48, NALU_PIXEL_FORMAT_Y420, "", "PixelFormatType=\"420v\",Width=64,Height=48,BytesPerRowAlignment=64", 1},
    {64, 48, NALU_PIXEL_FORMAT_BGRA, "", "PixelFormatType=\"420v\",Width=64,Height=48,BytesPerRowAlignment=64", 0},
    {63, 47, 0, "", "PixelFormatType=\"420v\",Width=64,Height=48,BytesPerRowAlignment=64", 0},
    {64, 48, 0, ",OutputBitDepth=10", "PixelFormatType=x420,Width=64,Height=48,BytesPerRowAlignment=64", 0},
    {64, 48, NALU_PIXEL_FORMAT_X420, "", "PixelFormatType=x420,Width=64,Height=48,BytesPerRowAlignment=64", 0},
    {64, 48, NALU_PIXEL_FORMAT_XF20, "", "PixelFormatType=xf20,Width=64,Height=48,BytesPerRowAlignment=64", 0},
    {64, 48, NALU_PIXEL_FORMAT_L008, "", "PixelFormatType=\"420v\",Width=64,Height=48,BytesPerRowAlignment=64", 0},
};

static void check_attributes(nalu_compression_session *session, const char *expected) {
    char text[256];
    size_t size = 0;
    CHECK_OK(nalu_session_copy_string(session, NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES, text, sizeof text,
                                      &size));
    CHECK(strcmp(text, expected) == 0);
    if (strcmp(text, expected) != 0) printf("  %s, not %s\n", text, expected);
}

static void a_shared_pool_is_read_in_place(void) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const form *f = &forms[i];
        gate g = {.closed = PTHREAD_MUTEX_INITIALIZER};
        nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
        nalu_compression_session *session = NULL;
        char properties[128];
        int shared = -1;
        source.pixel_format = f->pool;
        REQUIRE_OK(nalu_compression_session_create(f->width, f->height, NALU_CODEC_H264, NULL, &source, stop_at_gate, &g,
                                                   NULL, &session));
        snprintf(properties, sizeof properties, "RealTime=true%s", f->properties);
        REQUIRE_OK(nalu_session_set_properties_from_text(session, properties));
        check_attributes(session, f->attributes);
        CHECK_STATUS(nalu_session_get_bool(session, NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED, &shared),
                     NALU_STATUS_VALUE_NOT_AVAILABLE);
        REQUIRE_OK(nalu_compression_session_prepare(session));
        check_attributes(session, f->attributes);
        CHECK_OK(nalu_session_get_bool(session, NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED, &shared));
        CHECK_EQ(shared, f->shared);

        uint8_t *memory = (uint8_t *)calloc(3, (size_t)f->width * (size_t)f->height * 4);
        REQUIRE(memory);
        pthread_mutex_lock(&g.closed);
        for (int frame = 0; frame < 2; frame++) {
            nalu_pixel_buffer *buffer =
                wrap(f->width, f->height, f->pool ? f->pool : NALU_PIXEL_FORMAT_420V, memory, &g.released);
            REQUIRE_OK(nalu_compression_session_encode_frame(session, buffer, nalu_time_make(frame, 30), nalu_time_invalid(),
                                                       NULL, NULL, NULL));
            nalu_pixel_buffer_release(buffer);
        }
        /* The first frame's callback waits or will wait at the gate, so the second frame is not encoded yet. */
        const int released = __atomic_load_n(&g.released, __ATOMIC_SEQ_CST);
        CHECK(f->shared ? released < 2 : released == 2);
        pthread_mutex_unlock(&g.closed);
        CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
        CHECK_EQ(g.released, 2);
        nalu_compression_session_release(session);
        free(memory);
    }
}

/* The first frame determines the range, if neither attributes nor properties do. */
static void the_first_frame_decides_the_attributes(void) {
    gate g = {.closed = PTHREAD_MUTEX_INITIALIZER};
    nalu_compression_session *session = NULL;
    int shared = -1;
    uint8_t *memory = (uint8_t *)calloc(3, 64 * 48 * 4);
    REQUIRE(memory);
    REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, NULL, stop_at_gate, &g, NULL, &session));
    nalu_pixel_buffer *buffer = wrap(64, 48, NALU_PIXEL_FORMAT_420F, memory, &g.released);
    REQUIRE_OK(nalu_compression_session_encode_frame(session, buffer, nalu_time_make(0, 30), nalu_time_invalid(), NULL, NULL,
                                               NULL));
    nalu_pixel_buffer_release(buffer);
    check_attributes(session, "PixelFormatType=\"420f\",Width=64,Height=48,BytesPerRowAlignment=64");
    CHECK_OK(nalu_session_get_bool(session, NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED, &shared));
    CHECK_EQ(shared, 0);
    nalu_compression_session_release(session);
    free(memory);
}

int main(void) {
    RUN(a_shared_pool_is_read_in_place);
    RUN(the_first_frame_decides_the_attributes);
    return check_result();
}
