#include "delivery.h"

#include "../../CoreMedia/Time/times.h"
#include "../../Support/format.h"
#include "../../Support/value.h"
#include "sample.h"

#include <Block/Block.h>
#include <nalu/callback_wait.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct nalu_delivery {
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

nalu_delivery *nalu_delivery_create(VTCompressionOutputCallback callback, void *refcon) {
    nalu_delivery *delivery = calloc(1, sizeof *delivery);
    if (!delivery) return NULL;
    delivery->references = 1;
    delivery->callback = callback;
    delivery->refcon = refcon;
    delivery->latest = kCMTimeInvalid;
    pthread_mutex_init(&delivery->lock, NULL);
    return delivery;
}

void nalu_delivery_retain(nalu_delivery *delivery) { atomic_fetch_add(&delivery->references, 1); }

void nalu_delivery_release(void *object) {
    nalu_delivery *delivery = object;
    if (atomic_fetch_sub(&delivery->references, 1) > 1) return;
    nalu_format_cache_destroy(&delivery->descriptions);
    if (delivery->extensions) CFRelease(delivery->extensions);
    pthread_mutex_destroy(&delivery->lock);
    free(delivery->times);
    free(delivery);
}

bool nalu_delivery_has_callback(const nalu_delivery *delivery) { return delivery->callback != NULL; }

void nalu_delivery_set_extensions(nalu_delivery *delivery, CFDictionaryRef extensions) {
    CFDictionaryRef copy = extensions ? CFDictionaryCreateCopy(NULL, extensions) : NULL;
    pthread_mutex_lock(&delivery->lock);
    CFDictionaryRef former = delivery->extensions;
    delivery->extensions = copy;
    pthread_mutex_unlock(&delivery->lock);
    if (former) CFRelease(former);
}

/* Returns the extensions with a reference, or NULL. */
static CFDictionaryRef copy_extensions(nalu_delivery *delivery) {
    pthread_mutex_lock(&delivery->lock);
    CFDictionaryRef extensions = delivery->extensions ? CFRetain(delivery->extensions) : NULL;
    pthread_mutex_unlock(&delivery->lock);
    return extensions;
}

static CMTime *time_at(nalu_delivery *delivery, size_t index) {
    return &delivery->times[(delivery->first + index) % delivery->capacity];
}

static bool grow(nalu_delivery *delivery) {
    const size_t capacity = delivery->capacity ? 2 * delivery->capacity : 16;
    CMTime *times = calloc(capacity, sizeof *times);
    if (!times) return false;
    for (size_t i = 0; i < delivery->count; i++) times[i] = *time_at(delivery, i);
    free(delivery->times);
    delivery->times = times;
    delivery->capacity = capacity;
    delivery->first = 0;
    return true;
}

/* Inserts a time. Needs the lock. Times usually ascend, so the place is mostly at the end. Threads that pass frames
 * concurrently may arrive in another order. */
static bool insert(nalu_delivery *delivery, CMTime time) {
    if (delivery->count == delivery->capacity && !grow(delivery)) return false;
    size_t place = delivery->count++;
    for (; place > 0 && CMTimeCompare(*time_at(delivery, place - 1), time) > 0; place--)
        *time_at(delivery, place) = *time_at(delivery, place - 1);
    *time_at(delivery, place) = time;
    return true;
}

bool nalu_delivery_expect(nalu_delivery *delivery, CMTime time, nalu_expectation *expectation) {
    pthread_mutex_lock(&delivery->lock);
    *expectation = (nalu_expectation){time, delivery->latest, false};
    /* A time that is not later will be refused. Until then it must not become another frame's decode time. */
    const bool refused = CMTIME_IS_NUMERIC(delivery->latest) && CMTimeCompare(time, delivery->latest) <= 0;
    const bool room = refused || insert(delivery, time);
    if (room && !refused) {
        delivery->latest = time;
        expectation->noted = true;
    }
    pthread_mutex_unlock(&delivery->lock);
    return room;
}

void nalu_delivery_accept(nalu_delivery *delivery, const nalu_expectation *expectation) {
    if (expectation->noted) return;
    pthread_mutex_lock(&delivery->lock);
    (void)insert(delivery, expectation->time);
    pthread_mutex_unlock(&delivery->lock);
}

void nalu_delivery_refuse(nalu_delivery *delivery, const nalu_expectation *expectation) {
    if (!expectation->noted) return;
    pthread_mutex_lock(&delivery->lock);
    size_t place = delivery->count;
    while (place > 0 && CMTimeCompare(*time_at(delivery, place - 1), expectation->time) != 0) place--;
    if (place > 0) {
        for (; place < delivery->count; place++) *time_at(delivery, place - 1) = *time_at(delivery, place);
        delivery->count--;
    }
    if (CMTimeCompare(delivery->latest, expectation->time) == 0) delivery->latest = expectation->before;
    pthread_mutex_unlock(&delivery->lock);
}

void nalu_delivery_restart(nalu_delivery *delivery) {
    pthread_mutex_lock(&delivery->lock);
    delivery->latest = kCMTimeInvalid;
    pthread_mutex_unlock(&delivery->lock);
}

static CMTime take_time(nalu_delivery *delivery) {
    CMTime time = kCMTimeInvalid;
    pthread_mutex_lock(&delivery->lock);
    if (delivery->count > 0) {
        time = *time_at(delivery, 0);
        delivery->first = (delivery->first + 1) % delivery->capacity;
        delivery->count--;
    }
    pthread_mutex_unlock(&delivery->lock);
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
    CFMutableDictionaryRef errors = nalu_dictionary_create(NULL);
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
static CMSampleBufferRef take_sample(nalu_delivery *delivery, nalu_status from, nalu_sample *sample, OSStatus *status) {
    CMSampleTimingInfo timing = {.decodeTimeStamp = take_time(delivery)};
    *status = nalu_vt_status(from);
    if (!sample) return NULL;
    timing.presentationTimeStamp = nalu_to_time(nalu_sample_get_presentation_time(sample));
    timing.duration = nalu_to_time(nalu_sample_get_duration(sample));
    CFDictionaryRef extensions = copy_extensions(delivery);
    CMFormatDescriptionRef description =
        nalu_format_cache_get(&delivery->descriptions, nalu_sample_get_format_description(sample), extensions);
    if (extensions) CFRelease(extensions);
    CMSampleBufferRef buffer = description ? nalu_sample_buffer_create(NULL, sample, description, &timing) : NULL;
    if (buffer) attach_measurements(buffer, sample);
    else *status = kVTAllocationFailedErr;
    return buffer;
}

void nalu_delivery_receive(void *object, void *frame_refcon, nalu_status from, nalu_encode_info_flags flags,
    nalu_sample *sample) {
    nalu_delivery *delivery = object;
    OSStatus status;
    CMSampleBufferRef buffer = take_sample(delivery, from, sample, &status);
    nalu_callback_allow_waits(1); /* as on a Mac */
    if (delivery->callback) delivery->callback(delivery->refcon, frame_refcon, status, (VTEncodeInfoFlags)flags, buffer);
    if (buffer) CFRelease(buffer);
}

void nalu_delivery_receive_for_handler(void *object, void *frame_refcon, nalu_status from, nalu_encode_info_flags flags,
    nalu_sample *sample) {
    VTCompressionOutputHandler handler = (VTCompressionOutputHandler)frame_refcon;
    OSStatus status;
    CMSampleBufferRef buffer = take_sample(object, from, sample, &status);
    nalu_callback_allow_waits(1);
    handler(status, (VTEncodeInfoFlags)flags, buffer);
    if (buffer) CFRelease(buffer);
    Block_release(handler);
}
