#include "outlet.h"

#include "../Support/format.h"
#include "../Support/sample.h"
#include "times.h"
#include "value.h"

#include <Block/Block.h>
#include <nalu/callback_wait.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct nalu_outlet {
    _Atomic int references;
    VTCompressionOutputCallback callback;
    void *refcon;
    nalu_format_cache descriptions; /* needs no lock: callbacks of one session never overlap */
    pthread_mutex_t lock;
    CFDictionaryRef extensions; /* immutable; may be NULL */
    /* The presentation times of the frames that have not been delivered, sorted, in a ring buffer. */
    CMTime *times;
    size_t capacity;
    size_t first;
    size_t count;
    CMTime latest; /* the latest time of all frames that were passed and not refused */
};

nalu_outlet *nalu_outlet_create(VTCompressionOutputCallback callback, void *refcon) {
    nalu_outlet *outlet = calloc(1, sizeof *outlet);
    if (!outlet) return NULL;
    outlet->references = 1;
    outlet->callback = callback;
    outlet->refcon = refcon;
    outlet->latest = kCMTimeInvalid;
    pthread_mutex_init(&outlet->lock, NULL);
    return outlet;
}

void nalu_outlet_retain(nalu_outlet *outlet) { atomic_fetch_add(&outlet->references, 1); }

void nalu_outlet_release(void *object) {
    nalu_outlet *outlet = object;
    if (atomic_fetch_sub(&outlet->references, 1) > 1) return;
    nalu_format_cache_destroy(&outlet->descriptions);
    if (outlet->extensions) CFRelease(outlet->extensions);
    pthread_mutex_destroy(&outlet->lock);
    free(outlet->times);
    free(outlet);
}

bool nalu_outlet_has_callback(const nalu_outlet *outlet) { return outlet->callback != NULL; }

void nalu_outlet_set_extensions(nalu_outlet *outlet, CFDictionaryRef extensions) {
    CFDictionaryRef copy = extensions ? CFDictionaryCreateCopy(NULL, extensions) : NULL;
    pthread_mutex_lock(&outlet->lock);
    CFDictionaryRef former = outlet->extensions;
    outlet->extensions = copy;
    pthread_mutex_unlock(&outlet->lock);
    if (former) CFRelease(former);
}

/* Returns the extensions with a reference, or NULL. */
static CFDictionaryRef copy_extensions(nalu_outlet *outlet) {
    pthread_mutex_lock(&outlet->lock);
    CFDictionaryRef extensions = outlet->extensions ? CFRetain(outlet->extensions) : NULL;
    pthread_mutex_unlock(&outlet->lock);
    return extensions;
}

static CMTime *time_at(nalu_outlet *outlet, size_t index) {
    return &outlet->times[(outlet->first + index) % outlet->capacity];
}

static bool grow(nalu_outlet *outlet) {
    const size_t capacity = outlet->capacity ? 2 * outlet->capacity : 16;
    CMTime *times = calloc(capacity, sizeof *times);
    if (!times) return false;
    for (size_t i = 0; i < outlet->count; i++) times[i] = *time_at(outlet, i);
    free(outlet->times);
    outlet->times = times;
    outlet->capacity = capacity;
    outlet->first = 0;
    return true;
}

/* Inserts a time. Needs the lock. Times usually ascend, so the place is mostly at the end. Threads that pass frames
 * concurrently may arrive in another order. */
static bool insert(nalu_outlet *outlet, CMTime time) {
    if (outlet->count == outlet->capacity && !grow(outlet)) return false;
    size_t place = outlet->count++;
    for (; place > 0 && CMTimeCompare(*time_at(outlet, place - 1), time) > 0; place--)
        *time_at(outlet, place) = *time_at(outlet, place - 1);
    *time_at(outlet, place) = time;
    return true;
}

bool nalu_outlet_expect(nalu_outlet *outlet, CMTime time, nalu_expectation *expectation) {
    pthread_mutex_lock(&outlet->lock);
    *expectation = (nalu_expectation){time, outlet->latest, false};
    /* A time that is not later will be refused. Until then it must not become another frame's decode time. */
    const bool refused = CMTIME_IS_NUMERIC(outlet->latest) && CMTimeCompare(time, outlet->latest) <= 0;
    const bool room = refused || insert(outlet, time);
    if (room && !refused) {
        outlet->latest = time;
        expectation->noted = true;
    }
    pthread_mutex_unlock(&outlet->lock);
    return room;
}

void nalu_outlet_accept(nalu_outlet *outlet, const nalu_expectation *expectation) {
    if (expectation->noted) return;
    pthread_mutex_lock(&outlet->lock);
    (void)insert(outlet, expectation->time);
    pthread_mutex_unlock(&outlet->lock);
}

void nalu_outlet_refuse(nalu_outlet *outlet, const nalu_expectation *expectation) {
    if (!expectation->noted) return;
    pthread_mutex_lock(&outlet->lock);
    size_t place = outlet->count;
    while (place > 0 && CMTimeCompare(*time_at(outlet, place - 1), expectation->time) != 0) place--;
    if (place > 0) {
        for (; place < outlet->count; place++) *time_at(outlet, place - 1) = *time_at(outlet, place);
        outlet->count--;
    }
    if (CMTimeCompare(outlet->latest, expectation->time) == 0) outlet->latest = expectation->before;
    pthread_mutex_unlock(&outlet->lock);
}

void nalu_outlet_restart(nalu_outlet *outlet) {
    pthread_mutex_lock(&outlet->lock);
    outlet->latest = kCMTimeInvalid;
    pthread_mutex_unlock(&outlet->lock);
}

static CMTime take_time(nalu_outlet *outlet) {
    CMTime time = kCMTimeInvalid;
    pthread_mutex_lock(&outlet->lock);
    if (outlet->count > 0) {
        time = *time_at(outlet, 0);
        outlet->first = (outlet->first + 1) % outlet->capacity;
        outlet->count--;
    }
    pthread_mutex_unlock(&outlet->lock);
    return time;
}

/* Sets an attachment of the buffer's only sample, and releases `value`. */
static void attach(CMSampleBufferRef buffer, CFStringRef key, CFTypeRef value) {
    CFArrayRef all = CMSampleBufferGetSampleAttachmentsArray(buffer, true);
    if (all && value && CFArrayGetCount(all) > 0)
        CFDictionarySetValue((CFMutableDictionaryRef)CFArrayGetValueAtIndex(all, 0), key, value);
    if (value) CFRelease(value);
}

static void attach_measurements(CMSampleBufferRef buffer, nalu_sample *sample) {
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    const int64_t token = nalu_sample_get_ltr_acknowledgement_token(sample);
    if (token >= 0) attach(buffer, kVTSampleAttachmentKey_RequireLTRAcknowledgementToken, nalu_integer(token));
    if (nalu_sample_get_quality_metrics(sample, &metrics) != NALU_STATUS_OK) return;
    CFMutableDictionaryRef errors =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (!errors) return;
    nalu_dictionary_take(errors, kVTSampleAttachmentQualityMetricsKey_LumaMeanSquaredError,
        nalu_number(metrics.luma_mean_squared_error));
    nalu_dictionary_take(errors, kVTSampleAttachmentQualityMetricsKey_ChromaBlueMeanSquaredError,
        nalu_number(metrics.chroma_blue_mean_squared_error));
    nalu_dictionary_take(errors, kVTSampleAttachmentQualityMetricsKey_ChromaRedMeanSquaredError,
        nalu_number(metrics.chroma_red_mean_squared_error));
    attach(buffer, kVTSampleAttachmentKey_QualityMetrics, errors);
}

/* Returns the sample as a CMSampleBuffer with one reference, or NULL. `status` receives the status for the client. */
static CMSampleBufferRef take_sample(nalu_outlet *outlet, nalu_status from, nalu_sample *sample, OSStatus *status) {
    CMSampleTimingInfo timing = {.decodeTimeStamp = take_time(outlet)};
    *status = nalu_vt_status(from);
    if (!sample) return NULL;
    timing.presentationTimeStamp = nalu_to_time(nalu_sample_get_presentation_time(sample));
    timing.duration = nalu_to_time(nalu_sample_get_duration(sample));
    CFDictionaryRef extensions = copy_extensions(outlet);
    CMFormatDescriptionRef description =
        nalu_format_cache_get(&outlet->descriptions, nalu_sample_get_format_description(sample), extensions);
    if (extensions) CFRelease(extensions);
    CMSampleBufferRef buffer = description ? nalu_sample_buffer_create(NULL, sample, description, &timing) : NULL;
    if (buffer) attach_measurements(buffer, sample);
    else *status = kVTAllocationFailedErr;
    return buffer;
}

void nalu_outlet_receive(void *object, void *frame_refcon, nalu_status from, nalu_encode_info_flags flags,
    nalu_sample *sample) {
    nalu_outlet *outlet = object;
    OSStatus status;
    CMSampleBufferRef buffer = take_sample(outlet, from, sample, &status);
    nalu_callback_allow_waits(1); /* as on a Mac */
    if (outlet->callback) outlet->callback(outlet->refcon, frame_refcon, status, (VTEncodeInfoFlags)flags, buffer);
    if (buffer) CFRelease(buffer);
}

void nalu_outlet_receive_for_handler(void *object, void *frame_refcon, nalu_status from, nalu_encode_info_flags flags,
    nalu_sample *sample) {
    VTCompressionOutputHandler handler = (VTCompressionOutputHandler)frame_refcon;
    OSStatus status;
    CMSampleBufferRef buffer = take_sample(object, from, sample, &status);
    nalu_callback_allow_waits(1);
    handler(status, (VTEncodeInfoFlags)flags, buffer);
    if (buffer) CFRelease(buffer);
    Block_release(handler);
}
