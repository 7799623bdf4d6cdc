/* Makes the same VideoToolbox calls as GPAC's filter vtbdec, because Debian 12 has no package of GPAC. Like the filter, it
 * expects that a frame without flags is delivered before VTDecompressionSessionWaitForAsynchronousFrames returns, in
 * decode order, and puts the pictures in order itself.
 *
 * usage: host STREAM h264|hevc WIDTH HEIGHT nv12|i420|rgb PICTURES
 *
 * STREAM: 32-bit numbers in the machine's byte order: the size of the avcC or hvcC, its bytes, and for each frame its
 * presentation time, its size and its bytes, which have 4-byte NAL unit lengths.
 * Writes the pictures to PICTURES without padding, and prints the presentation time of each. */
#include <CoreFoundation/CoreFoundation.h>
#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>
#include <VideoToolbox/VideoToolbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The filter's default for its option `reorder`: the pictures that wait for an earlier one. */
enum { REORDER = 6 };

typedef struct picture {
    int32_t time;
    CVPixelBufferRef pixels;
} picture;

typedef struct decoder {
    VTDecompressionSessionRef session;
    CMFormatDescriptionRef format;
    FILE *output;
    int32_t width, height;
    picture waiting[REORDER + 1];
    int count;
    int32_t current; /* the time of the frame in the decoder; -1 if there is none */
} decoder;

static void check(OSStatus status, const char *what) {
    if (status == noErr) return;
    fprintf(stderr, "%s: %d\n", what, (int)status);
    exit(1);
}

/* ---- Pictures ---- */

static void write_picture(decoder *dec) {
    const picture first = dec->waiting[0];
    memmove(dec->waiting, dec->waiting + 1, (size_t)--dec->count * sizeof first);
    check(CVPixelBufferLockBaseAddress(first.pixels, kCVPixelBufferLock_ReadOnly), "CVPixelBufferLockBaseAddress");
    if ((int32_t)CVPixelBufferGetWidth(first.pixels) != dec->width || (int32_t)CVPixelBufferGetHeight(first.pixels) != dec->height)
        check(-1, "the size of a picture");
    const size_t planes = CVPixelBufferIsPlanar(first.pixels) ? CVPixelBufferGetPlaneCount(first.pixels) : 1;
    for (size_t plane = 0; plane < planes; plane++) {
        const bool planar = CVPixelBufferIsPlanar(first.pixels);
        const uint8_t *row = planar ? CVPixelBufferGetBaseAddressOfPlane(first.pixels, plane) : CVPixelBufferGetBaseAddress(first.pixels);
        const size_t stride = planar ? CVPixelBufferGetBytesPerRowOfPlane(first.pixels, plane) : CVPixelBufferGetBytesPerRow(first.pixels);
        const size_t rows = plane ? (size_t)(dec->height + 1) / 2 : (size_t)dec->height;
        const size_t samples = plane ? (size_t)(dec->width + 1) / 2 : (size_t)dec->width;
        const size_t bytes = !planar ? samples * 3 : planes == 2 && plane ? samples * 2 : samples;
        for (size_t y = 0; y < rows; y++, row += stride) fwrite(row, 1, bytes, dec->output);
    }
    CVPixelBufferUnlockBaseAddress(first.pixels, kCVPixelBufferLock_ReadOnly);
    CVPixelBufferRelease(first.pixels);
    printf("%d\n", first.time);
}

static void decoded(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime pts,
    CMTime duration) {
    decoder *dec = refcon;
    if (status != noErr || !image) {
        fprintf(stderr, "callback: %d, flags %u\n", (int)status, (unsigned)flags);
        return;
    }
    /* The filter takes the times of the frame that it has just passed to the session. */
    if (dec->current < 0) check(-1, "a picture outside of decode and wait");
    int place = dec->count++;
    for (; place > 0 && dec->waiting[place - 1].time > dec->current; place--) dec->waiting[place] = dec->waiting[place - 1];
    dec->waiting[place] = (picture){dec->current, CVPixelBufferRetain(image)};
    dec->current = -1;
}

/* ---- Session ---- */

static CFDictionaryRef make_attributes(decoder *dec, OSType format) {
    const void *keys[] = {kCVPixelBufferWidthKey, kCVPixelBufferHeightKey, kCVPixelBufferPixelFormatTypeKey,
        kCVPixelBufferIOSurfacePropertiesKey};
    const void *values[] = {CFNumberCreate(NULL, kCFNumberSInt32Type, &dec->width),
        CFNumberCreate(NULL, kCFNumberSInt32Type, &dec->height), CFNumberCreate(NULL, kCFNumberSInt32Type, &format),
        CFDictionaryCreate(NULL, NULL, NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks)};
    CFDictionaryRef attributes =
        CFDictionaryCreate(NULL, keys, values, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    for (int i = 0; i < 4; i++) CFRelease(values[i]);
    return attributes;
}

static CFDictionaryRef make_dictionary(const void *key, const void *value) {
    return CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

static void open_session(decoder *dec, bool hevc, const uint8_t *configuration, int32_t size, OSType format) {
    CFDataRef data = CFDataCreate(NULL, configuration, size);
    CFDictionaryRef atoms = make_dictionary(hevc ? CFSTR("hvcC") : CFSTR("avcC"), data);
    CFDictionaryRef extensions = make_dictionary(kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms, atoms);
    check(CMVideoFormatDescriptionCreate(NULL, hevc ? kCMVideoCodecType_HEVC : kCMVideoCodecType_H264, dec->width, dec->height,
              extensions, &dec->format), "CMVideoFormatDescriptionCreate");
    CFDictionaryRef attributes = make_attributes(dec, format);
    CFDictionaryRef hardware =
        make_dictionary(kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder, kCFBooleanTrue);
    const VTDecompressionOutputCallbackRecord callback = {decoded, dec};
    if (VTDecompressionSessionCreate(NULL, dec->format, hardware, attributes, &callback, &dec->session) != noErr) {
        check(VTDecompressionSessionCreate(NULL, dec->format, NULL, attributes, &callback, &dec->session),
            "VTDecompressionSessionCreate");
    }
    CFRelease(hardware);
    CFRelease(attributes);
    CFRelease(extensions);
    CFRelease(atoms);
    CFRelease(data);
}

static void decode(decoder *dec, uint8_t *bytes, int32_t size, int32_t time) {
    CMBlockBufferRef block = NULL;
    CMSampleBufferRef sample = NULL;
    check(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, (size_t)size, kCFAllocatorNull, NULL, 0, (size_t)size, 0, &block),
        "CMBlockBufferCreateWithMemoryBlock");
    /* The filter passes no times and no sizes. */
    check(CMSampleBufferCreate(NULL, block, true, NULL, NULL, dec->format, 1, 0, NULL, 0, NULL, &sample), "CMSampleBufferCreate");
    dec->current = time;
    check(VTDecompressionSessionDecodeFrame(dec->session, sample, 0, NULL, NULL), "VTDecompressionSessionDecodeFrame");
    check(VTDecompressionSessionWaitForAsynchronousFrames(dec->session), "VTDecompressionSessionWaitForAsynchronousFrames");
    CFRelease(block);
    CFRelease(sample);
    if (dec->current >= 0) fprintf(stderr, "the frame at %d gave no picture\n", time);
    dec->current = -1;
    if (dec->count > REORDER) write_picture(dec);
}

/* ---- Main ---- */

static bool read_number(FILE *stream, int32_t *number) { return fread(number, sizeof *number, 1, stream) == 1; }

static uint8_t *read_bytes(FILE *stream, int32_t *size) {
    uint8_t *bytes;
    if (!read_number(stream, size) || *size <= 0 || !(bytes = malloc((size_t)*size)) || fread(bytes, (size_t)*size, 1, stream) != 1)
        check(-1, "reading the stream");
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    FILE *stream = fopen(argv[1], "rb");
    decoder dec = {.width = atoi(argv[3]), .height = atoi(argv[4]), .output = fopen(argv[6], "wb"), .current = -1};
    if (!stream || !dec.output) check(-1, "opening the files");
    const OSType format = strcmp(argv[5], "i420") == 0 ? kCVPixelFormatType_420YpCbCr8Planar
        : strcmp(argv[5], "rgb") == 0                  ? kCVPixelFormatType_24RGB
                                                       : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange;
    int32_t size, time;
    uint8_t *bytes = read_bytes(stream, &size);
    open_session(&dec, strcmp(argv[2], "hevc") == 0, bytes, size, format);
    free(bytes);
    while (read_number(stream, &time)) {
        bytes = read_bytes(stream, &size);
        decode(&dec, bytes, size, time);
        free(bytes);
    }
    while (dec.count > 0) write_picture(&dec);
    CFRelease(dec.format);
    VTDecompressionSessionInvalidate(dec.session);
    CFRelease(dec.session);
    fclose(stream);
    return fclose(dec.output) ? 1 : 0;
}
