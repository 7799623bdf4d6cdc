/*
 * Decodes a live stream of H.264 or H.265 with start codes, such as one from a network, and writes each picture
 * at its time.
 *
 *     vt_player h264|hevc FRAMES_PER_SECOND [SPEED] <IN >OUT.nv12
 *
 * Such a stream has no times. It is live and has no reordering: its pictures are in output order. It compiles
 * on a Mac as well.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "nv12.h"

#include <VideoToolbox/VideoToolbox.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 3 };

typedef struct bytes {
    uint8_t *start;
    size_t size, capacity;
} bytes;

typedef struct player {
    bool is_hevc;
    int rate;
    bytes sets[PARTS]; /* VPS, SPS, PPS */
    bool sets_changed;
    CMFormatDescriptionRef format;
    VTDecompressionSessionRef session;
    CMTimebaseRef timebase;
    bytes frame; /* its NAL units so far, each after its length */
    bool has_picture;
    int64_t frames;
} player;

static void fail(const char *what, OSStatus status) {
    fprintf(stderr, "vt_player: %s: status %d\n", what, (int)status);
    exit(1);
}

static void append(bytes *to, const uint8_t *start, size_t size) {
    if (to->capacity - to->size < size) {
        to->capacity = (to->size + size) * 2;
        to->start = (uint8_t *)realloc(to->start, to->capacity);
        if (!to->start) fail("memory", -1);
    }
    memcpy(to->start + to->size, start, size);
    to->size += size;
}

/* ---- Pictures --------------------------------------------------------------------------------------------------------- */

static void show(CVPixelBufferRef image) {
    CVPixelBufferLockBaseAddress(image, kCVPixelBufferLock_ReadOnly);
    for (size_t plane = 0; plane < CVPixelBufferGetPlaneCount(image); plane++) {
        const uint8_t *row = (const uint8_t *)CVPixelBufferGetBaseAddressOfPlane(image, plane);
        for (size_t y = 0; y < CVPixelBufferGetHeightOfPlane(image, plane); y++) {
            fwrite(row, plane + 1, CVPixelBufferGetWidthOfPlane(image, plane), stdout);
            row += CVPixelBufferGetBytesPerRowOfPlane(image, plane);
        }
    }
    CVPixelBufferUnlockBaseAddress(image, kCVPixelBufferLock_ReadOnly);
}

/* Writes a picture at its time, on the session's thread. While it waits, the next pictures are decoded. */
static void receive(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime time,
                    CMTime duration) {
    const player *it = (const player *)refcon;
    (void)frame, (void)flags, (void)duration;
    if (!image) {
        fprintf(stderr, "vt_player: a picture is missing: status %d\n", (int)status);
        return;
    }
    for (;;) {
        const double late = CMTimeGetSeconds(CMTimeSubtract(CMTimebaseGetTime(it->timebase), time));
        if (late >= 0) break;
        usleep(1000);
    }
    show(image);
}

/* ---- Sample buffers --------------------------------------------------------------------------------------------------- */

/* Creates the format description of changed parameter sets, and a session if the current one does not accept it. */
static void change_format(player *it) {
    const uint8_t *sets[PARTS];
    size_t sizes[PARTS], count = 0;
    for (int i = it->is_hevc ? 0 : 1; i < PARTS; i++) {
        if (!it->sets[i].size) return;
        sets[count] = it->sets[i].start;
        sizes[count++] = it->sets[i].size;
    }
    CMFormatDescriptionRef format = NULL;
    OSStatus status =
        it->is_hevc ? CMVideoFormatDescriptionCreateFromHEVCParameterSets(NULL, count, sets, sizes, 4, NULL, &format)
                    : CMVideoFormatDescriptionCreateFromH264ParameterSets(NULL, count, sets, sizes, 4, &format);
    if (status != noErr) fail("parameter sets", status);
    if (it->format) CFRelease(it->format);
    it->format = format;
    it->sets_changed = false;
    if (it->session && VTDecompressionSessionCanAcceptFormatDescription(it->session, format)) return;
    if (it->session) {
        VTDecompressionSessionWaitForAsynchronousFrames(it->session);
        VTDecompressionSessionInvalidate(it->session);
        CFRelease(it->session);
    }
    VTDecompressionOutputCallbackRecord callback = {receive, it};
    CFDictionaryRef attributes = nv12_copy_attributes();
    status = VTDecompressionSessionCreate(NULL, format, NULL, attributes, &callback, &it->session);
    CFRelease(attributes);
    if (status != noErr) fail("VTDecompressionSessionCreate", status);
}

static void finish_frame(player *it) {
    CMBlockBufferRef block = NULL;
    CMSampleBufferRef sample = NULL;
    if (!it->has_picture) return;
    if (it->sets_changed) change_format(it);
    if (it->session) {
        const size_t size = it->frame.size;
        CMSampleTimingInfo timing = {CMTimeMake(1, it->rate), CMTimeMake(it->frames++, it->rate), kCMTimeInvalid};
        OSStatus status = CMBlockBufferCreateWithMemoryBlock(NULL, NULL, size, NULL, NULL, 0, size,
                                                             kCMBlockBufferAssureMemoryNowFlag, &block);
        if (status == noErr) status = CMBlockBufferReplaceDataBytes(it->frame.start, block, 0, size);
        if (status == noErr) status = CMSampleBufferCreateReady(NULL, block, it->format, 1, 1, &timing, 1, &size, &sample);
        if (status != noErr) fail("sample buffer", status);
        status = VTDecompressionSessionDecodeFrame(it->session, sample, kVTDecodeFrame_EnableAsynchronousDecompression, NULL,
                                                   NULL);
        if (status != noErr) fprintf(stderr, "vt_player: a frame is refused: status %d\n", (int)status);
        CFRelease(sample);
        CFRelease(block);
    }
    it->frame.size = 0;
    it->has_picture = false;
}

/* ---- NAL units -------------------------------------------------------------------------------------------------------- */

/* The index of a unit among the parameter sets, or -1. */
static int set_of(const player *it, int type) {
    if (it->is_hevc) return type >= 32 && type <= 34 ? type - 32 : -1;
    return type == 7 ? 1 : type == 8 ? 2 : -1;
}

static void receive_unit(player *it, const uint8_t *unit, size_t size) {
    const size_t header = it->is_hevc ? 2 : 1;
    if (size <= header) return;
    const int type = it->is_hevc ? unit[0] >> 1 & 63 : unit[0] & 31;
    const bool is_slice = it->is_hevc ? type < 32 : type >= 1 && type <= 5;
    const int set = set_of(it, type);
    /* The first slice of a picture begins with a 1 bit. Between the slices of a picture there are only slices. */
    if (!is_slice || unit[header] & 0x80) finish_frame(it);
    if (set >= 0) {
        bytes *known = &it->sets[set];
        if (known->size == size && memcmp(known->start, unit, size) == 0) return;
        known->size = 0;
        append(known, unit, size);
        it->sets_changed = true;
        return;
    }
    const uint8_t length[4] = {(uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size};
    append(&it->frame, length, sizeof length);
    append(&it->frame, unit, size);
    if (is_slice) it->has_picture = true;
}

/* Passes the complete units on, and keeps the rest. */
static void take_apart(player *it, bytes *stream, bool is_end) {
    size_t start = SIZE_MAX, at = 0;
    while (at + 3 <= stream->size) {
        const uint8_t *p = stream->start + at;
        if (p[0] || p[1] || p[2] != 1) {
            at++;
            continue;
        }
        size_t end = at;
        /* Zeros at the end belong to the next start code. */
        while (start != SIZE_MAX && end > start && stream->start[end - 1] == 0) end--;
        if (start != SIZE_MAX) receive_unit(it, stream->start + start, end - start);
        start = at += 3;
    }
    if (start == SIZE_MAX) return;
    if (is_end) {
        receive_unit(it, stream->start + start, stream->size - start);
        return;
    }
    const size_t kept = stream->size - (start - 3);
    memmove(stream->start, stream->start + start - 3, kept);
    stream->size = kept;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4 || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: %s h264|hevc FRAMES_PER_SECOND [SPEED] <IN >OUT.nv12\n", argv[0]);
        return 2;
    }
    player it = {.is_hevc = strcmp(argv[1], "hevc") == 0, .rate = atoi(argv[2])};
    bytes stream = {NULL, 0, 0};
    uint8_t block[4096];
    OSStatus status = CMTimebaseCreateWithSourceClock(NULL, CMClockGetHostTimeClock(), &it.timebase);
    if (status == noErr) status = CMTimebaseSetRate(it.timebase, argc > 3 ? atof(argv[3]) : 1);
    if (status != noErr) fail("timebase", status);
    for (size_t count; (count = fread(block, 1, sizeof block, stdin)) > 0;) {
        append(&stream, block, count);
        take_apart(&it, &stream, false);
    }
    take_apart(&it, &stream, true);
    finish_frame(&it);
    if (it.session) {
        VTDecompressionSessionWaitForAsynchronousFrames(it.session);
        VTDecompressionSessionInvalidate(it.session);
        CFRelease(it.session);
        CFRelease(it.format);
    }
    CFRelease(it.timebase);
    for (int i = 0; i < PARTS; i++) free(it.sets[i].start);
    free(it.frame.start);
    free(stream.start);
    return it.frames > 0 && fflush(stdout) == 0 ? 0 : 1;
}
