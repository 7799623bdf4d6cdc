/* The callbacks for queues of sample buffers. */
#include <CoreMedia/CMBufferQueue.h>
#include <CoreMedia/CMSampleBuffer.h>

#include <pthread.h>

static CMTime get_decode(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetDecodeTimeStamp((CMSampleBufferRef)buf);
}

static CMTime get_presentation(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetPresentationTimeStamp((CMSampleBufferRef)buf);
}

static CMTime get_duration(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetDuration((CMSampleBufferRef)buf);
}

static CMTime get_output_decode(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetOutputDecodeTimeStamp((CMSampleBufferRef)buf);
}

static CMTime get_output_presentation(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetOutputPresentationTimeStamp((CMSampleBufferRef)buf);
}

static CMTime get_output_duration(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetOutputDuration((CMSampleBufferRef)buf);
}

static Boolean is_ready(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferDataIsReady((CMSampleBufferRef)buf);
}

static size_t get_size(CMBufferRef buf, void *refcon) {
    (void)refcon;
    return CMSampleBufferGetTotalSampleSize((CMSampleBufferRef)buf);
}

static CFComparisonResult compare(CMBufferRef buf1, CMBufferRef buf2, void *refcon) {
    return (CFComparisonResult)CMTimeCompare(get_output_presentation(buf1, refcon), get_output_presentation(buf2, refcon));
}

static CMBufferCallbacks unsorted = {.version = 1,
    .getDecodeTimeStamp = get_decode,
    .getPresentationTimeStamp = get_presentation,
    .getDuration = get_duration,
    .isDataReady = is_ready,
    .getSize = get_size};

static CMBufferCallbacks sorted = {.version = 1,
    .getDecodeTimeStamp = get_output_decode,
    .getPresentationTimeStamp = get_output_presentation,
    .getDuration = get_output_duration,
    .isDataReady = is_ready,
    .compare = compare,
    .getSize = get_size};

/* The notification's name is a variable of this library, so that a static initialiser cannot contain it. */
static void set_notification(void) {
    unsorted.dataBecameReadyNotification = kCMSampleBufferNotification_DataBecameReady;
    sorted.dataBecameReadyNotification = kCMSampleBufferNotification_DataBecameReady;
}

static const CMBufferCallbacks *get(const CMBufferCallbacks *callbacks) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_notification);
    return callbacks;
}

const CMBufferCallbacks *CMBufferQueueGetCallbacksForUnsortedSampleBuffers(void) { return get(&unsorted); }

const CMBufferCallbacks *CMBufferQueueGetCallbacksForSampleBuffersSortedByOutputPTS(void) { return get(&sorted); }
