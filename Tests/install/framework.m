/* A program for a Mac: it knows nothing of Nalu. */
#include <CoreMedia/CoreMedia.h>
#include <TargetConditionals.h>
#include <VideoToolbox/VideoToolbox.h>
#include <stdio.h>

static const CFStringRef name = CFSTR("kept");

int main(void) {
    const void *keys[] = {name, NULL}, *values[] = {kCFBooleanTrue, kCFBooleanFalse};
    CFDictionaryRef dictionary = CFDictionaryCreate(
        NULL, keys, values, TARGET_OS_OSX ? 1 : 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    __block CMSimpleQueueRef queue = NULL;
    dispatch_sync(dispatch_get_global_queue(0, 0), ^{
        if (CMSimpleQueueCreate(kCFAllocatorDefault, 3, &queue) == noErr) CMSimpleQueueEnqueue(queue, name);
    });
    const int right = queue != NULL && CMSimpleQueueDequeue(queue) == name && CFDictionaryContainsKey(dictionary, name);
    printf("%s: %ld\n", right ? "right" : "wrong", (long)CFDictionaryGetCount(dictionary));
    CFRelease(queue);
    CFRelease(dictionary);
    return !right;
}
