/* CMBufferQueue with the callbacks for sample buffers. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>

static CMSampleBufferRef make(int64_t presentation, int64_t output, Boolean ready) {
    const CMSampleTimingInfo timing = {CMTimeMake(1, 30), CMTimeMake(presentation, 30), CMTimeMake(presentation - 1, 30)};
    const size_t size = 5;
    CMSampleBufferRef buffer = NULL;
    CMBlockBufferRef data = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 5, NULL, NULL, 0, 5, kCMBlockBufferAssureMemoryNowFlag, &data) == 0);
    REQUIRE(CMSampleBufferCreate(NULL, data, ready, NULL, NULL, NULL, 1, 1, &timing, 1, &size, &buffer) == noErr);
    REQUIRE(CMSampleBufferSetOutputPresentationTimeStamp(buffer, CMTimeMake(output, 30)) == noErr);
    CFRelease(data);
    return buffer;
}

static CMBufferQueueRef fill(const CMBufferCallbacks *callbacks, CMSampleBufferRef buffers[3]) {
    CMBufferQueueRef queue = NULL;
    REQUIRE(CMBufferQueueCreate(NULL, 0, callbacks, &queue) == noErr);
    for (int i = 0; i < 3; i++) CHECK_EQ(CMBufferQueueEnqueue(queue, buffers[i]), noErr);
    return queue;
}

static void check_order(CMBufferQueueRef queue, CMSampleBufferRef first, CMSampleBufferRef second, CMSampleBufferRef third) {
    CMSampleBufferRef expected[] = {first, second, third};
    for (int i = 0; i < 3; i++) {
        CMBufferRef buffer = CMBufferQueueDequeueAndRetain(queue);
        CHECK(buffer == expected[i]);
        if (buffer) CFRelease(buffer);
    }
}

int main(void) {
    CMSampleBufferRef buffers[] = {make(4, 102, true), make(2, 104, false), make(6, 100, true)};
    CMBufferQueueRef queue = fill(CMBufferQueueGetCallbacksForUnsortedSampleBuffers(), buffers);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetDuration(queue), CMTimeMake(3, 30)), 0);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetMinPresentationTimeStamp(queue), CMTimeMake(2, 30)), 0);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetEndPresentationTimeStamp(queue), CMTimeMake(7, 30)), 0);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetMinDecodeTimeStamp(queue), CMTimeMake(1, 30)), 0);
    CHECK_EQ(CMBufferQueueGetTotalSize(queue), 15);
    check_order(queue, buffers[0], buffers[1], buffers[2]);
    CFRelease(queue);

    queue = fill(CMBufferQueueGetCallbacksForSampleBuffersSortedByOutputPTS(), buffers);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetMinPresentationTimeStamp(queue), CMTimeMake(100, 30)), 0);
    CHECK_EQ(CMTimeCompare(CMBufferQueueGetMaxPresentationTimeStamp(queue), CMTimeMake(104, 30)), 0);
    check_order(queue, buffers[2], buffers[0], buffers[1]);
    /* A buffer that is not ready stays in the queue. */
    CHECK_EQ(CMBufferQueueEnqueue(queue, buffers[1]), noErr);
    CHECK(CMBufferQueueDequeueIfDataReadyAndRetain(queue) == NULL);
    CHECK_EQ(CMSampleBufferSetDataReady(buffers[1]), noErr);
    CMBufferRef ready = CMBufferQueueDequeueIfDataReadyAndRetain(queue);
    CHECK(ready == buffers[1]);
    if (ready) CFRelease(ready);
    CHECK_EQ(CMBufferQueueEnqueue(queue, buffers[0]), noErr);
    CFRelease(queue);
    for (int i = 0; i < 3; i++) CFRelease(buffers[i]);
    return check_result();
}
