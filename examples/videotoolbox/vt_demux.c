/*
 * Extracts the H.264 or H.265 track of an MP4 file, and writes it with start codes.
 *
 *     vt_demux IN.mp4 OUT.h264
 *
 * Each sample of the file becomes a sample buffer, with the format description of its track. Fragments are
 * ignored. Only sample entries `avc1` and `hvc1` are known. It compiles on a Mac as well.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "annex_b.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct box {
    const uint8_t *bytes; /* NULL if there is no box */
    size_t size;
} box;

static uint32_t number(const box *b, size_t at) {
    if (!b->bytes || b->size < 4 || at > b->size - 4) return 0;
    const uint8_t *p = b->bytes + at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The content of a box of type `type` among the boxes from `at` on in the parent, after `skip` boxes of this type. */
static box find(box parent, size_t at, const char *type, int skip) {
    const box none = {NULL, 0};
    while (parent.bytes && parent.size >= 8 && at <= parent.size - 8) {
        uint64_t size = number(&parent, at);
        size_t header = 8;
        if (size == 1) {
            size = (uint64_t)number(&parent, at + 8) << 32 | number(&parent, at + 12);
            header = 16;
        } else if (size == 0) size = parent.size - at;
        if (size < header || size > parent.size - at) return none;
        if (memcmp(parent.bytes + at + 4, type, 4) == 0 && skip-- == 0)
            return (box){parent.bytes + at + header, (size_t)size - header};
        at += (size_t)size;
    }
    return none;
}

/* The format description of a sample entry with an `avcC` or `hvcC`. */
static CMFormatDescriptionRef make_format(box entries) {
    static const struct {
        const char *entry, *atom;
        CMVideoCodecType codec;
    } kinds[] = {{"avc1", "avcC", kCMVideoCodecType_H264}, {"hvc1", "hvcC", kCMVideoCodecType_HEVC}};
    CMFormatDescriptionRef format = NULL;
    for (size_t i = 0; i < 2 && !format; i++) {
        const box entry = find(entries, 8, kinds[i].entry, 0), atom = find(entry, 78, kinds[i].atom, 0);
        if (!atom.bytes) continue;
        CFDataRef data = CFDataCreate(NULL, atom.bytes, (CFIndex)atom.size);
        CFStringRef name = CFStringCreateWithCString(NULL, kinds[i].atom, kCFStringEncodingASCII);
        CFTypeRef key = name, value = data;
        CFDictionaryRef atoms =
            CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
        key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms;
        value = atoms;
        CFDictionaryRef extensions =
            CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
        CMVideoFormatDescriptionCreate(NULL, kinds[i].codec, (int32_t)(number(&entry, 24) >> 16),
                                       (int32_t)(number(&entry, 24) & 0xffff), extensions, &format);
        CFRelease(extensions);
        CFRelease(atoms);
        CFRelease(name);
        CFRelease(data);
    }
    return format;
}

static bool is_key_frame(box sync_samples, uint32_t sample) {
    if (!sync_samples.bytes) return true;
    for (uint32_t i = 0; i < number(&sync_samples, 4); i++)
        if (number(&sync_samples, 8 + (size_t)i * 4) == sample + 1) return true;
    return false;
}

static OSStatus write_one(box file, uint64_t offset, uint32_t size, bool is_key, CMFormatDescriptionRef format, FILE *output) {
    CMBlockBufferRef block = NULL;
    CMSampleBufferRef sample = NULL;
    const size_t sizes[1] = {size};
    if (offset > file.size || size > file.size - offset) return kCMSampleBufferError_InvalidSampleData;
    /* The block buffer refers to the bytes of the file, and does not free them. */
    OSStatus status = CMBlockBufferCreateWithMemoryBlock(NULL, (void *)(file.bytes + offset), size, kCFAllocatorNull, NULL, 0,
                                                         size, 0, &block);
    if (status == noErr)
        status = CMSampleBufferCreateReady(NULL, block, format, 1, 0, NULL, 1, sizes, &sample);
    if (status == noErr && !is_key) {
        CFArrayRef attachments = CMSampleBufferGetSampleAttachmentsArray(sample, true);
        CFDictionarySetValue((CFMutableDictionaryRef)CFArrayGetValueAtIndex(attachments, 0), kCMSampleAttachmentKey_NotSync,
                             kCFBooleanTrue);
    }
    if (status == noErr) status = annex_b_write(sample, output);
    if (sample) CFRelease(sample);
    if (block) CFRelease(block);
    return status;
}

static OSStatus write_track(box file, box table, FILE *output) {
    const box sizes = find(table, 0, "stsz", 0), runs = find(table, 0, "stsc", 0), sync = find(table, 0, "stss", 0);
    const box offsets = find(table, 0, "stco", 0), long_offsets = find(table, 0, "co64", 0);
    const box *chunks = offsets.bytes ? &offsets : &long_offsets;
    const uint32_t count = number(&sizes, 8), chunk_count = number(chunks, 4);
    CMFormatDescriptionRef format = make_format(find(table, 0, "stsd", 0));
    OSStatus status = format ? noErr : kCMFormatDescriptionError_InvalidParameter;
    uint32_t sample = 0, run = 0;
    for (uint32_t chunk = 0; chunk < chunk_count && status == noErr; chunk++) {
        while (run + 1 < number(&runs, 4) && number(&runs, 8 + (size_t)(run + 1) * 12) <= chunk + 1) run++;
        uint64_t offset = offsets.bytes ? number(chunks, 8 + (size_t)chunk * 4)
                                        : (uint64_t)number(chunks, 8 + (size_t)chunk * 8) << 32 |
                                              number(chunks, 12 + (size_t)chunk * 8);
        for (uint32_t i = 0; i < number(&runs, 12 + (size_t)run * 12) && sample < count && status == noErr; i++, sample++) {
            const uint32_t size = number(&sizes, 4) ? number(&sizes, 4) : number(&sizes, 12 + (size_t)sample * 4);
            status = write_one(file, offset, size, is_key_frame(sync, sample), format, output);
            offset += size;
        }
    }
    if (format) CFRelease(format);
    return status;
}

static box read_file(const char *path) {
    box all = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return all;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        all.size = (size_t)ftell(file);
        rewind(file);
        uint8_t *bytes = (uint8_t *)malloc(all.size);
        if (bytes && fread(bytes, 1, all.size, file) == all.size) all.bytes = bytes;
        else free(bytes);
    }
    fclose(file);
    return all;
}

int main(int argc, char **argv) {
    OSStatus status = kCMFormatDescriptionError_InvalidParameter;
    if (argc != 3) {
        fprintf(stderr, "usage: %s IN.mp4 OUT.h264\n", argv[0]);
        return 2;
    }
    const box file = read_file(argv[1]);
    FILE *output = fopen(argv[2], "wb");
    if (file.bytes && output) {
        const box movie = find(file, 0, "moov", 0);
        for (int i = 0;; i++) {
            const box track = find(movie, 0, "trak", i), media = find(track, 0, "mdia", 0);
            const box handler = find(media, 0, "hdlr", 0);
            if (!track.bytes) break;
            if (number(&handler, 8) != kCMMediaType_Video) continue;
            status = write_track(file, find(find(media, 0, "minf", 0), 0, "stbl", 0), output);
            break;
        }
    }
    if (output && fclose(output) != 0) status = -1;
    free((void *)file.bytes);
    if (status != noErr) fprintf(stderr, "vt_demux: %s: status %d\n", argv[1], (int)status);
    return status == noErr ? 0 : 1;
}
