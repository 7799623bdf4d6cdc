/*
 * Encodes raw pictures as they arrive, and writes H.264 or H.265 with start codes, for a pipe or a socket.
 *
 *     vt_live_encoder h264|hevc WIDTH HEIGHT FRAMES_PER_SECOND BITS_PER_SECOND <IN.nv12 >OUT
 *
 * It compiles on a Mac as well. On Linux H.265 needs libx265: without it the session is refused with
 * kVTCouldNotFindVideoEncoderErr.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "annex_b.h"
#include "nv12.h"

#include <VideoToolbox/VideoToolbox.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static OSStatus failure = noErr;

/* Writes a sample. The session's thread calls this function, in decode order. */
static void write_sample(void *output, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    (void)frame;
    if (status == noErr && sample) status = annex_b_write(sample, (FILE *)output);
    if (status != noErr) __atomic_store_n(&failure, status, __ATOMIC_RELAXED);
    if (flags & kVTEncodeInfo_FrameDropped) fprintf(stderr, "vt_live_encoder: a frame was dropped\n");
}

static OSStatus set_number(VTCompressionSessionRef session, CFStringRef key, int value) {
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &value);
    OSStatus status = VTSessionSetProperty(session, key, number);
    CFRelease(number);
    return status;
}

/* A limit for each second, 1.5 times the average: an array of pairs of bytes and seconds. */
static OSStatus set_limit(VTCompressionSessionRef session, int bits_a_second) {
    int bytes = bits_a_second / 8 * 3 / 2;
    double seconds = 1;
    CFTypeRef pair[2] = {CFNumberCreate(NULL, kCFNumberIntType, &bytes), CFNumberCreate(NULL, kCFNumberDoubleType, &seconds)};
    CFArrayRef limits = CFArrayCreate(NULL, pair, 2, &kCFTypeArrayCallBacks);
    OSStatus status = VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, limits);
    CFRelease(limits);
    CFRelease(pair[0]);
    CFRelease(pair[1]);
    return status;
}

static OSStatus configure(VTCompressionSessionRef session, bool is_hevc, int rate, int bits_a_second) {
    OSStatus status = VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue);
    if (status == noErr)
        status = VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse);
    if (status == noErr)
        status = VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel,
                                      is_hevc ? kVTProfileLevel_HEVC_Main_AutoLevel : kVTProfileLevel_H264_Main_AutoLevel);
    if (status == noErr) status = set_number(session, kVTCompressionPropertyKey_AverageBitRate, bits_a_second);
    if (status == noErr) status = set_limit(session, bits_a_second);
    if (status == noErr) status = set_number(session, kVTCompressionPropertyKey_ExpectedFrameRate, rate);
    if (status == noErr) status = set_number(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, rate * 2);
    return status == noErr ? VTCompressionSessionPrepareToEncodeFrames(session) : status;
}

/* Reads one picture into a buffer, row by row, since rows of buffers are longer than those of files. */
static bool read_picture(CVPixelBufferRef buffer, FILE *input) {
    bool is_whole = true;
    CVPixelBufferLockBaseAddress(buffer, 0);
    for (size_t plane = 0; plane < 2; plane++) {
        uint8_t *row = (uint8_t *)CVPixelBufferGetBaseAddressOfPlane(buffer, plane);
        const size_t length = CVPixelBufferGetWidthOfPlane(buffer, plane) * (plane + 1);
        for (size_t y = 0; y < CVPixelBufferGetHeightOfPlane(buffer, plane) && is_whole; y++) {
            is_whole = fread(row, 1, length, input) == length;
            row += CVPixelBufferGetBytesPerRowOfPlane(buffer, plane);
        }
    }
    CVPixelBufferUnlockBaseAddress(buffer, 0);
    return is_whole;
}

static OSStatus encode_all(VTCompressionSessionRef session, int rate) {
    CVPixelBufferPoolRef pool = VTCompressionSessionGetPixelBufferPool(session);
    OSStatus status = noErr;
    for (int64_t frame = 0; status == noErr; frame++) {
        CVPixelBufferRef buffer = NULL;
        status = CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &buffer);
        if (status != kCVReturnSuccess) break;
        const bool is_there = read_picture(buffer, stdin);
        if (is_there)
            status = VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(frame, rate), CMTimeMake(1, rate), NULL,
                                                     NULL, NULL);
        CVPixelBufferRelease(buffer);
        if (!is_there) break;
    }
    const OSStatus last = VTCompressionSessionCompleteFrames(session, kCMTimeInvalid);
    return status != noErr ? status : last != noErr ? last : __atomic_load_n(&failure, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: %s h264|hevc WIDTH HEIGHT FRAMES_PER_SECOND BITS_PER_SECOND <IN.nv12 >OUT\n", argv[0]);
        return 2;
    }
    const bool is_hevc = strcmp(argv[1], "hevc") == 0;
    const int rate = atoi(argv[4]);
    VTCompressionSessionRef session = NULL;
    CFDictionaryRef attributes = nv12_copy_attributes();
    OSStatus status =
        VTCompressionSessionCreate(NULL, atoi(argv[2]), atoi(argv[3]), is_hevc ? kCMVideoCodecType_HEVC : kCMVideoCodecType_H264,
                                   NULL, attributes, NULL, write_sample, stdout, &session);
    CFRelease(attributes);
    if (status == noErr) status = configure(session, is_hevc, rate, atoi(argv[5]));
    if (status == noErr) status = encode_all(session, rate);
    if (session) {
        VTCompressionSessionInvalidate(session);
        CFRelease(session);
    }
    if (status != noErr) fprintf(stderr, "vt_live_encoder: status %d\n", (int)status);
    return status == noErr && fflush(stdout) == 0 ? 0 : 1;
}
