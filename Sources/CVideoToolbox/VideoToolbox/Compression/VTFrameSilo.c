#include <VideoToolbox/VTFrameSilo.h>

#include "../../Support/environment.h"
#include "../../Support/object.h"

#include <CoreMedia/CMBlockBuffer.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A stored sample. Its bytes are in the file. */
struct entry {
    CMSampleTimingInfo timing;
    CMFormatDescriptionRef description;
    CFDictionaryRef attachments; /* NULL if there are none */
    off_t offset;
    size_t size;
};

struct OpaqueVTFrameSilo {
    CFRuntimeBase base;
    pthread_mutex_t lock;
    int file;
    char *path; /* NULL for a temporary file, which is unlinked when it is created */
    off_t end;
    /* Sorted by decode time. */
    struct entry *entries;
    size_t count;
    size_t capacity;
    /* The presentation times that this pass accepts, in ascending order. Without ranges it accepts all. */
    CMTimeRange *ranges;
    CMItemCount range_count;
    bool added; /* true if this pass has added a sample */
    CMTime last_decode_time;
    CMTime latest_end;
};

static CMTime decode_time(const CMSampleTimingInfo *timing) {
    return CMTIME_IS_NUMERIC(timing->decodeTimeStamp) ? timing->decodeTimeStamp : timing->presentationTimeStamp;
}

static void release_entry(struct entry *entry) {
    CFRelease(entry->description);
    if (entry->attachments) CFRelease(entry->attachments);
}

static void finalize(CFTypeRef object) {
    VTFrameSiloRef silo = (VTFrameSiloRef)object;
    for (size_t i = 0; i < silo->count; i++) release_entry(&silo->entries[i]);
    free(silo->entries);
    free(silo->ranges);
    if (silo->file >= 0) close(silo->file);
    if (silo->path) (void)unlink(silo->path);
    free(silo->path);
    pthread_mutex_destroy(&silo->lock);
}

static nalu_class silo_class = {.runtime = {.className = "VTFrameSilo", .finalize = finalize}};

CFTypeID VTFrameSiloGetTypeID(void) { return nalu_class_type(&silo_class); }

/* ---- The file ---- */

static bool open_named(VTFrameSiloRef silo, CFURLRef url) {
    char path[NALU_PATH_SIZE];
    if (!nalu_path_of_url(url, path)) return false;
    silo->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (silo->file < 0) return false;
    silo->path = strdup(path);
    return silo->path != NULL;
}

static bool open_temporary(VTFrameSiloRef silo) {
    char directory[NALU_PATH_SIZE], path[NALU_PATH_SIZE + 32];
    nalu_temporary_directory(directory);
    snprintf(path, sizeof path, "%s/nalu-silo-XXXXXX", directory);
    silo->file = mkostemp(path, O_CLOEXEC);
    return silo->file >= 0 && unlink(path) == 0;
}

static bool write_all(int file, off_t offset, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = pwrite(file, bytes, size, offset);
        if (written <= 0) return false;
        bytes += written;
        offset += written;
        size -= (size_t)written;
    }
    return true;
}

static bool read_all(int file, off_t offset, char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t found = pread(file, bytes, size, offset);
        if (found <= 0) return false;
        bytes += found;
        offset += found;
        size -= (size_t)found;
    }
    return true;
}

OSStatus VTFrameSiloCreate(CFAllocatorRef allocator, CFURLRef url, CMTimeRange range, CFDictionaryRef options,
    VTFrameSiloRef *silo_out) {
    (void)options;
    if (!silo_out) return kVTParameterErr;
    *silo_out = NULL;
    VTFrameSiloRef silo = nalu_object_create(&silo_class, allocator, sizeof *silo);
    if (!silo) return kVTAllocationFailedErr;
    pthread_mutex_init(&silo->lock, NULL);
    silo->file = -1;
    silo->latest_end = kCMTimeInvalid;
    if (!(url ? open_named(silo, url) : open_temporary(silo))) {
        CFRelease(silo);
        return kVTParameterErr;
    }
    if (CMTIMERANGE_IS_VALID(range) && CMTIME_IS_NUMERIC(range.duration)) {
        silo->ranges = malloc(sizeof range);
        if (!silo->ranges) {
            CFRelease(silo);
            return kVTAllocationFailedErr;
        }
        *silo->ranges = range;
        silo->range_count = 1;
    }
    *silo_out = silo;
    return noErr;
}

/* ---- Adding ---- */

static bool accepts(VTFrameSiloRef silo, CMTime time) {
    for (CMItemCount i = 0; i < silo->range_count; i++)
        if (CMTimeRangeContainsTime(silo->ranges[i], time)) return true;
    return silo->range_count == 0;
}

static bool make_room(VTFrameSiloRef silo) {
    if (silo->count < silo->capacity) return true;
    const size_t capacity = silo->capacity ? 2 * silo->capacity : 64;
    struct entry *entries = realloc(silo->entries, capacity * sizeof *entries);
    if (!entries) return false;
    silo->entries = entries;
    silo->capacity = capacity;
    return true;
}

/* Returns a copy of the sample's bytes, which the caller frees. Returns NULL if there are none. */
static char *copy_bytes(CMSampleBufferRef buffer, size_t *size_out) {
    CMBlockBufferRef data = CMSampleBufferGetDataBuffer(buffer);
    if (!data || !CMSampleBufferDataIsReady(buffer)) return NULL;
    *size_out = CMBlockBufferGetDataLength(data);
    char *bytes = malloc(*size_out + 1);
    if (bytes && CMBlockBufferCopyDataBytes(data, 0, *size_out, bytes) == noErr) return bytes;
    free(bytes);
    return NULL;
}

static OSStatus add(VTFrameSiloRef silo, struct entry *entry, const char *bytes) {
    const CMTime time = decode_time(&entry->timing);
    if (!accepts(silo, entry->timing.presentationTimeStamp) ||
        (silo->added && CMTimeCompare(time, silo->last_decode_time) <= 0))
        return kVTFrameSiloInvalidTimeStampErr;
    if (!make_room(silo)) return kVTAllocationFailedErr;
    entry->offset = silo->end;
    if (!write_all(silo->file, entry->offset, bytes, entry->size)) return kVTAllocationFailedErr;
    silo->end += (off_t)entry->size;
    size_t place = silo->count++;
    for (; place > 0 && CMTimeCompare(decode_time(&silo->entries[place - 1].timing), time) > 0; place--)
        silo->entries[place] = silo->entries[place - 1];
    silo->entries[place] = *entry;
    silo->added = true;
    silo->last_decode_time = time;
    const CMTime duration = entry->timing.duration;
    const CMTime begin = entry->timing.presentationTimeStamp;
    const CMTime end = CMTIME_IS_NUMERIC(duration) ? CMTimeAdd(begin, duration) : begin;
    if (!CMTIME_IS_NUMERIC(silo->latest_end) || CMTimeCompare(end, silo->latest_end) > 0) silo->latest_end = end;
    return noErr;
}

OSStatus VTFrameSiloAddSampleBuffer(VTFrameSiloRef silo, CMSampleBufferRef buffer) {
    struct entry entry = {0};
    if (!nalu_object_is(silo, &silo_class) || !buffer || CFGetTypeID(buffer) != CMSampleBufferGetTypeID() ||
        CMSampleBufferGetNumSamples(buffer) != 1 || !CMSampleBufferGetFormatDescription(buffer))
        return kVTParameterErr;
    if (CMSampleBufferGetSampleTimingInfo(buffer, 0, &entry.timing) != noErr ||
        !CMTIME_IS_NUMERIC(entry.timing.presentationTimeStamp))
        return kVTFrameSiloInvalidTimeStampErr;
    char *bytes = copy_bytes(buffer, &entry.size);
    if (!bytes) return kVTParameterErr;
    CFArrayRef attachments = CMSampleBufferGetSampleAttachmentsArray(buffer, false);
    if (attachments && CFArrayGetCount(attachments) > 0)
        entry.attachments = CFDictionaryCreateCopy(NULL, CFArrayGetValueAtIndex(attachments, 0));
    entry.description = (CMFormatDescriptionRef)CFRetain(CMSampleBufferGetFormatDescription(buffer));
    pthread_mutex_lock(&silo->lock);
    const OSStatus status = add(silo, &entry, bytes);
    pthread_mutex_unlock(&silo->lock);
    if (status != noErr) release_entry(&entry);
    free(bytes);
    return status;
}

/* ---- Passes ---- */

static bool are_in_order(const CMTimeRange *ranges, CMItemCount count) {
    for (CMItemCount i = 0; i < count; i++) {
        if (!CMTIMERANGE_IS_VALID(ranges[i]) || !CMTIME_IS_NUMERIC(ranges[i].start) ||
            !CMTIME_IS_NUMERIC(ranges[i].duration))
            return false;
        if (i > 0 && CMTimeCompare(CMTimeRangeGetEnd(ranges[i - 1]), ranges[i].start) > 0) return false;
    }
    return true;
}

OSStatus VTFrameSiloSetTimeRangesForNextPass(VTFrameSiloRef silo, CMItemCount count, const CMTimeRange *ranges) {
    if (!nalu_object_is(silo, &silo_class)) return kVTParameterErr;
    if (count < 1 || !ranges) return kVTParameterErr;
    if (!are_in_order(ranges, count)) return kVTFrameSiloInvalidTimeRangeErr;
    CMTimeRange *copy = calloc((size_t)count, sizeof *copy);
    if (!copy) return kVTAllocationFailedErr;
    memcpy(copy, ranges, (size_t)count * sizeof *copy);
    pthread_mutex_lock(&silo->lock);
    free(silo->ranges);
    silo->ranges = copy;
    silo->range_count = count;
    silo->added = false;
    silo->latest_end = kCMTimeInvalid;
    size_t kept = 0;
    for (size_t i = 0; i < silo->count; i++) {
        if (accepts(silo, silo->entries[i].timing.presentationTimeStamp)) release_entry(&silo->entries[i]);
        else silo->entries[kept++] = silo->entries[i];
    }
    silo->count = kept;
    pthread_mutex_unlock(&silo->lock);
    return noErr;
}

OSStatus VTFrameSiloGetProgressOfCurrentPass(VTFrameSiloRef silo, Float32 *progress_out) {
    double all = 0, done = 0;
    if (progress_out) *progress_out = 0;
    if (!nalu_object_is(silo, &silo_class) || !progress_out) return kVTParameterErr;
    pthread_mutex_lock(&silo->lock);
    for (CMItemCount i = 0; i < silo->range_count; i++) {
        const double length = CMTimeGetSeconds(silo->ranges[i].duration);
        all += length;
        if (!CMTIME_IS_NUMERIC(silo->latest_end)) continue;
        const double written = CMTimeGetSeconds(CMTimeSubtract(silo->latest_end, silo->ranges[i].start));
        done += written <= 0 ? 0 : written < length ? written : length;
    }
    pthread_mutex_unlock(&silo->lock);
    *progress_out = all > 0 ? (Float32)(done / all) : 0;
    return noErr;
}

/* ---- Reading ---- */

static OSStatus make_data(VTFrameSiloRef silo, const struct entry *entry, CMBlockBufferRef *data_out) {
    char *bytes = NULL;
    /* A memory block cannot have 0 bytes. */
    if (entry->size == 0) return CMBlockBufferCreateEmpty(NULL, 0, 0, data_out);
    OSStatus status = CMBlockBufferCreateWithMemoryBlock(
        NULL, NULL, entry->size, NULL, NULL, 0, entry->size, kCMBlockBufferAssureMemoryNowFlag, data_out);
    if (status == noErr) status = CMBlockBufferGetDataPointer(*data_out, 0, NULL, NULL, &bytes);
    if (status == noErr && !read_all(silo->file, entry->offset, bytes, entry->size)) status = kVTParameterErr;
    return status;
}

static OSStatus make_buffer(VTFrameSiloRef silo, const struct entry *entry, CMSampleBufferRef *buffer_out) {
    CMBlockBufferRef data = NULL;
    OSStatus status = make_data(silo, entry, &data);
    if (status == noErr)
        status = CMSampleBufferCreateReady(
            NULL, data, entry->description, 1, 1, &entry->timing, 1, &entry->size, buffer_out);
    if (data) CFRelease(data);
    if (status != noErr || !entry->attachments) return status;
    CFArrayRef attachments = CMSampleBufferGetSampleAttachmentsArray(*buffer_out, true);
    const CFIndex count = CFDictionaryGetCount(entry->attachments);
    const void **pairs = (const void **)calloc((size_t)count + 1, 2 * sizeof *pairs);
    if (attachments && pairs) {
        CFMutableDictionaryRef to = (CFMutableDictionaryRef)CFArrayGetValueAtIndex(attachments, 0);
        CFDictionaryGetKeysAndValues(entry->attachments, pairs, pairs + count);
        for (CFIndex i = 0; i < count; i++) CFDictionarySetValue(to, pairs[i], pairs[count + i]);
    }
    free((void *)pairs);
    return noErr;
}

/* Returns copies of the entries in `range`, each with its own references, which the caller releases. Working on copies
 * lets the callback add samples. */
static struct entry *copy_entries(VTFrameSiloRef silo, CMTimeRange range, size_t *count_out) {
    const bool all = !CMTIMERANGE_IS_VALID(range);
    pthread_mutex_lock(&silo->lock);
    struct entry *entries = calloc(silo->count + 1, sizeof *entries);
    for (size_t i = 0; entries && i < silo->count; i++) {
        const struct entry *entry = &silo->entries[i];
        if (!all && !CMTimeRangeContainsTime(range, entry->timing.presentationTimeStamp)) continue;
        CFRetain(entry->description);
        if (entry->attachments) CFRetain(entry->attachments);
        entries[(*count_out)++] = *entry;
    }
    pthread_mutex_unlock(&silo->lock);
    return entries;
}

OSStatus VTFrameSiloCallBlockForEachSampleBuffer(VTFrameSiloRef silo, CMTimeRange range,
    OSStatus (^handler)(CMSampleBufferRef)) {
    size_t count = 0;
    OSStatus status = noErr;
    if (!nalu_object_is(silo, &silo_class) || !handler) return kVTParameterErr;
    CFRetain(silo);
    struct entry *entries = copy_entries(silo, range, &count);
    if (!entries) status = kVTAllocationFailedErr;
    for (size_t i = 0; i < count; i++) {
        CMSampleBufferRef buffer = NULL;
        if (status == noErr) status = make_buffer(silo, &entries[i], &buffer);
        if (status == noErr) status = handler(buffer);
        if (buffer) CFRelease(buffer);
        release_entry(&entries[i]);
    }
    free(entries);
    CFRelease(silo);
    return status;
}

OSStatus VTFrameSiloCallFunctionForEachSampleBuffer(VTFrameSiloRef silo, CMTimeRange range, void *refcon,
    OSStatus (*callback)(void *, CMSampleBufferRef)) {
    if (!callback) return kVTParameterErr;
    return VTFrameSiloCallBlockForEachSampleBuffer(
        silo, range, ^(CMSampleBufferRef buffer) { return callback(refcon, buffer); });
}
