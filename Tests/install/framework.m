/* A program for a Mac: it knows nothing of Nalu. */
#include <CoreMedia/CoreMedia.h>
#include <TargetConditionals.h>
#include <VideoToolbox/VideoToolbox.h>
#include <stdio.h>

static const CFStringRef name = CFSTR("kept");

/* Frames that come back with data. */
static void count_sample(
    void *counter, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    (void)frame, (void)flags;
    if (status == noErr && CMSampleBufferGetTotalSampleSize(sample) > 0) ++*(int *)counter;
}

static int encode(int frames) {
    int count = 0;
    VTCompressionSessionRef session = NULL;
    CVPixelBufferRef buffer = NULL;
    if (VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, count_sample, &count, &session) ||
        CVPixelBufferPoolCreatePixelBuffer(NULL, VTCompressionSessionGetPixelBufferPool(session), &buffer))
        return -1;
    for (int i = 0; i < frames; i++)
        VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(i, 30), kCMTimeInvalid, NULL, NULL, NULL);
    VTCompressionSessionCompleteFrames(session, kCMTimeInvalid);
    CVPixelBufferRelease(buffer);
    CFRelease(session);
    return count;
}

int main(void) {
    const void *keys[] = {name, NULL}, *values[] = {kCFBooleanTrue, kCFBooleanFalse};
    CFDictionaryRef dictionary = CFDictionaryCreate(
        NULL, keys, values, TARGET_OS_OSX ? 1 : 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    __block CMSimpleQueueRef queue = NULL;
    dispatch_sync(dispatch_get_global_queue(0, 0), ^{
        if (CMSimpleQueueCreate(kCFAllocatorDefault, 3, &queue) == noErr) CMSimpleQueueEnqueue(queue, name);
    });
    const int right = encode(10) == 10 && queue != NULL && CMSimpleQueueDequeue(queue) == name &&
                      CFDictionaryContainsKey(dictionary, name);
    printf("%s: %ld\n", right ? "right" : "wrong", (long)CFDictionaryGetCount(dictionary));
    CFRelease(queue);
    CFRelease(dictionary);
    return !right;
}
