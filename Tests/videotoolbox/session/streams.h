/* Streams that FFmpeg's command encodes, as sample buffers, and the pictures that it decodes. */
#ifndef NALU_TESTS_VT_STREAMS_H
#define NALU_TESTS_VT_STREAMS_H

#include "media_support.h"

#include <VideoToolbox/VideoToolbox.h>

enum { MOST_SAMPLES = 64 };

typedef struct stream {
    CMSampleBufferRef samples[MOST_SAMPLES];
    size_t count;
    uint8_t *pictures; /* as FFmpeg decodes them, in output order */
    size_t picture_size, picture_count;
} stream;

static inline CMTime cm_time(nalu_time time) {
    CMTime made = {time.value, time.timescale, time.flags, time.epoch};
    return made;
}

static inline CMFormatDescriptionRef make_format(nalu_format_description *format) {
    const uint8_t *sets[16];
    size_t sizes[16];
    const uint32_t count = nalu_format_description_get_parameter_set_count(format);
    const int length_size = (int)nalu_format_description_get_length_size(format);
    CMFormatDescriptionRef made = NULL;
    REQUIRE(count <= 16);
    for (uint32_t i = 0; i < count; i++) sets[i] = nalu_format_description_get_parameter_set(format, i, &sizes[i]);
    if (nalu_format_description_get_codec(format) == NALU_CODEC_HEVC)
        REQUIRE(CMVideoFormatDescriptionCreateFromHEVCParameterSets(NULL, count, sets, sizes, length_size, NULL, &made) == noErr);
    else
        REQUIRE(CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, count, sets, sizes, length_size, &made) == noErr);
    return made;
}

/* A sample buffer with its own memory. Without timing it has neither times nor sizes, like that of FFmpeg. */
static inline CMSampleBufferRef make_sample(const uint8_t *bytes, size_t size, CMFormatDescriptionRef format,
                                            const CMSampleTimingInfo *timing) {
    CMBlockBufferRef block = NULL;
    CMSampleBufferRef made = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, size, NULL, NULL, 0, size, kCMBlockBufferAssureMemoryNowFlag,
                                               &block) == noErr);
    REQUIRE(CMBlockBufferReplaceDataBytes(bytes, block, 0, size) == noErr);
    REQUIRE(CMSampleBufferCreate(NULL, block, true, NULL, NULL, format, 1, timing ? 1 : 0, timing, timing ? 1 : 0,
                                 timing ? &size : NULL, &made) == noErr);
    CFRelease(block);
    return made;
}

static inline void stream_read(stream *s, const char *path, bool is_hevc) {
    size_t size = 0;
    uint8_t *bytes = media_read_file(path, &size);
    nalu_stream_parser *parser = NULL;
    nalu_format_description *last = NULL;
    CMFormatDescriptionRef format = NULL;
    REQUIRE_OK(nalu_stream_parser_create(is_hevc ? NALU_CODEC_HEVC : NALU_CODEC_H264, NULL, &parser));
    REQUIRE_OK(nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid()));
    REQUIRE_OK(nalu_stream_parser_finish(parser));
    for (nalu_sample *sample; nalu_stream_parser_next(parser, &sample) == NALU_STATUS_OK && sample;) {
        size_t length = 0;
        const uint8_t *data = nalu_sample_get_data(sample, &length);
        CMSampleTimingInfo timing = {cm_time(nalu_sample_get_duration(sample)),
                                     cm_time(nalu_sample_get_presentation_time(sample)), kCMTimeInvalid};
        if (last != nalu_sample_get_format_description(sample)) {
            if (format) CFRelease(format);
            nalu_format_description_release(last);
            last = nalu_format_description_retain(nalu_sample_get_format_description(sample));
            format = make_format(last);
        }
        REQUIRE(s->count < MOST_SAMPLES);
        s->samples[s->count++] = make_sample(data, length, format, &timing);
        nalu_sample_release(sample);
    }
    CFRelease(format);
    nalu_format_description_release(last);
    nalu_stream_parser_release(parser);
    free(bytes);
}

/* Encodes 40 frames of 178 x 148 with `options` of FFmpeg, once for all streams with these. FFmpeg's pictures are converted to
 * `pixels` without loss. */
static inline void stream_make(stream *s, const char *options, bool is_hevc, const char *pixels) {
    static char made[16][300]; /* what the files with these numbers contain */
    char asked[300], path[300], pictures[300], name[40];
    int number = 0, status = 0;
    snprintf(asked, sizeof asked, "%s %s", options, pixels);
    while (made[number][0] && strcmp(made[number], asked) != 0) REQUIRE(++number < 16);
    snprintf(name, sizeof name, "stream-%d.%s", number, is_hevc ? "h265" : "h264");
    snprintf(path, sizeof path, "%s", test_path(name));
    snprintf(name, sizeof name, "pictures-%d.yuv", number);
    snprintf(pictures, sizeof pictures, "%s", test_path(name));
    memset(s, 0, sizeof *s);
    if (!made[number][0]) {
        media_run(&status,
            "ffmpeg -nostdin -v error -y -f lavfi -i 'testsrc2=s=178x148:r=25,noise=alls=9:allf=t' -frames:v 40 %s '%s' 2>&1",
            options, path);
        REQUIRE(status == 0);
        media_run(&status, "ffmpeg -nostdin -v error -y -i '%s' -fps_mode passthrough -f rawvideo -pix_fmt %s '%s' 2>&1", path,
            pixels, pictures);
        REQUIRE(status == 0);
        snprintf(made[number], sizeof made[number], "%s", asked);
    }
    stream_read(s, path, is_hevc);
    size_t size = 0;
    s->pictures = media_read_file(pictures, &size);
    s->picture_count = s->count;
    s->picture_size = size / s->count;
    REQUIRE(s->picture_size * s->count == size);
}

static inline CMFormatDescriptionRef stream_format(const stream *s) {
    return CMSampleBufferGetFormatDescription(s->samples[0]);
}

static inline void stream_free(stream *s) {
    for (size_t i = 0; i < s->count; i++) CFRelease(s->samples[i]);
    free(s->pictures);
}

/* Copies the visible pixels, plane after plane. */
static inline size_t buffer_bytes(CVPixelBufferRef buffer, uint8_t *bytes, size_t capacity) {
    size_t size = 0;
    const size_t planes = CVPixelBufferGetPlaneCount(buffer);
    const OSType format = CVPixelBufferGetPixelFormatType(buffer);
    const bool has_words = (format >> 24) == 'x';
    CHECK_EQ(CVPixelBufferLockBaseAddress(buffer, kCVPixelBufferLock_ReadOnly), kCVReturnSuccess);
    for (size_t plane = 0; plane < (planes ? planes : 1); plane++) {
        size_t row = planes ? CVPixelBufferGetWidthOfPlane(buffer, plane) : CVPixelBufferGetWidth(buffer) * 4;
        const size_t height = planes ? CVPixelBufferGetHeightOfPlane(buffer, plane) : CVPixelBufferGetHeight(buffer);
        const size_t stride =
            planes ? CVPixelBufferGetBytesPerRowOfPlane(buffer, plane) : CVPixelBufferGetBytesPerRow(buffer);
        const uint8_t *base =
            planes ? CVPixelBufferGetBaseAddressOfPlane(buffer, plane) : CVPixelBufferGetBaseAddress(buffer);
        if (planes == 2 && plane == 1) row *= 2;
        if (has_words) row *= 2;
        for (size_t y = 0; y < height; y++) {
            REQUIRE(size + row <= capacity);
            memcpy(bytes + size, base + y * stride, row);
            size += row;
        }
    }
    CHECK_EQ(CVPixelBufferUnlockBaseAddress(buffer, kCVPixelBufferLock_ReadOnly), kCVReturnSuccess);
    return size;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

typedef struct result {
    OSStatus status;
    VTDecodeInfoFlags flags;
    CVPixelBufferRef image; /* retained */
    void *frame_refcon;
    CMTime time, duration;
} result;

typedef struct results {
    pthread_mutex_t mutex;
    size_t count;
    int inside;
    result all[256];
} results;

#define RESULTS_INIT {.mutex = PTHREAD_MUTEX_INITIALIZER}

static inline void record(void *refcon, void *frame_refcon, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image,
                          CMTime time, CMTime duration) {
    results *r = (results *)refcon;
    CHECK_EQ(__atomic_add_fetch(&r->inside, 1, __ATOMIC_SEQ_CST), 1);
    if (image) CHECK_EQ(status, noErr);
    else CHECK(status != noErr || (flags & kVTDecodeInfo_FrameDropped));
    pthread_mutex_lock(&r->mutex);
    REQUIRE(r->count < sizeof r->all / sizeof *r->all);
    r->all[r->count++] = (result){status, flags, CVPixelBufferRetain(image), frame_refcon, time, duration};
    pthread_mutex_unlock(&r->mutex);
    __atomic_sub_fetch(&r->inside, 1, __ATOMIC_SEQ_CST);
}

static inline size_t results_count(results *r) {
    pthread_mutex_lock(&r->mutex);
    const size_t count = r->count;
    pthread_mutex_unlock(&r->mutex);
    return count;
}

static inline void results_clear(results *r) {
    for (size_t i = 0; i < r->count; i++) CVPixelBufferRelease(r->all[i].image);
    r->count = 0;
}

static inline int compare_times(const void *a, const void *b) {
    return CMTimeCompare(((const result *)a)->time, ((const result *)b)->time);
}

/* Checks that the images, sorted by their times, are those of FFmpeg, bit for bit. */
static inline void check_pictures(results *r, const stream *s) {
    uint8_t *bytes = (uint8_t *)malloc(s->picture_size + 4096);
    qsort(r->all, r->count, sizeof *r->all, compare_times);
    CHECK_EQ(r->count, s->picture_count);
    for (size_t i = 0; i < r->count && i < s->picture_count; i++) {
        CHECK_EQ(r->all[i].status, noErr);
        if (!CHECK(r->all[i].image != NULL)) continue;
        CHECK_EQ(buffer_bytes(r->all[i].image, bytes, s->picture_size + 4096), s->picture_size);
        CHECK(memcmp(bytes, s->pictures + i * s->picture_size, s->picture_size) == 0);
    }
    free(bytes);
}

static inline CFDictionaryRef make_attributes(OSType format, int32_t width, int32_t height) {
    CFMutableDictionaryRef made =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    const struct {
        CFStringRef key;
        int64_t value;
    } pairs[] = {{kCVPixelBufferPixelFormatTypeKey, format}, {kCVPixelBufferWidthKey, width}, {kCVPixelBufferHeightKey, height}};
    for (size_t i = 0; i < 3; i++) {
        if (!pairs[i].value) continue;
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &pairs[i].value);
        CFDictionarySetValue(made, pairs[i].key, number);
        CFRelease(number);
    }
    return made;
}

static inline VTDecompressionSessionRef make_session(CMFormatDescriptionRef format, CFDictionaryRef attributes, results *r) {
    VTDecompressionSessionRef session = NULL;
    VTDecompressionOutputCallbackRecord callback = {record, r};
    CHECK_EQ(VTDecompressionSessionCreate(NULL, format, NULL, attributes, r ? &callback : NULL, &session), noErr);
    REQUIRE(session);
    return session;
}

static inline void end_session(VTDecompressionSessionRef session) {
    VTDecompressionSessionInvalidate(session);
    CFRelease(session);
}

/* Ends the session and releases its results. */
static inline void end_decoding(VTDecompressionSessionRef session, results *r) {
    end_session(session);
    results_clear(r);
}

#endif
