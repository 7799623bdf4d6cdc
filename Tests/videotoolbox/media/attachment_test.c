/* Attachments of sample, block and image buffers. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>

static int freed;
static void count_free(void *context, void *block, size_t size) {
    (void)context, (void)size;
    freed++;
    free(block);
}

/* A block buffer whose release is counted. */
static CMBlockBufferRef counted(void) {
    const CMBlockBufferCustomBlockSource source = {.FreeBlock = count_free};
    CMBlockBufferRef value = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, malloc(4), 4, NULL, &source, 0, 4, 0, &value) == noErr);
    return value;
}

static CFTypeRef create_bearer(int kind) {
    CMSampleBufferRef sample = NULL;
    CMBlockBufferRef block = NULL;
    CVPixelBufferRef image = NULL;
    if (kind == 0) REQUIRE(CMSampleBufferCreateReady(NULL, NULL, NULL, 0, 0, NULL, 0, NULL, &sample) == noErr);
    else if (kind == 1) REQUIRE(CMBlockBufferCreateEmpty(NULL, 0, 0, &block) == noErr);
    else REQUIRE(CVPixelBufferCreate(NULL, 16, 16, kCVPixelFormatType_32BGRA, NULL, &image) == 0);
    return kind == 0 ? (CFTypeRef)sample : kind == 1 ? (CFTypeRef)block : (CFTypeRef)image;
}

enum { BEARERS = 3 };

/* Behaviour 30: a client attaches its own data to a buffer, under a key that it invents, and finds the data later. */
static void test_values(void) {
    for (int kind = 0; kind < BEARERS; kind++) {
        CFTypeRef bearer = create_bearer(kind);
        CMBlockBufferRef value = counted();
        CMAttachmentMode mode = 7;
        freed = 0;
        CHECK(CMGetAttachment(bearer, CFSTR("HB_HDR_PLUS"), &mode) == NULL);
        CHECK_EQ(mode, kCMAttachmentMode_ShouldNotPropagate);
        CMSetAttachment(bearer, CFSTR("HB_HDR_PLUS"), value, kCMAttachmentMode_ShouldPropagate);
        CFRelease(value);
        CHECK_EQ(freed, 0);
        CHECK(CMGetAttachment(bearer, CFSTR("HB_HDR_PLUS"), &mode) == value);
        CHECK_EQ(mode, kCMAttachmentMode_ShouldPropagate);
        /* A key has one value, in one mode. */
        CMSetAttachment(bearer, CFSTR("HB_HDR_PLUS"), kCFBooleanTrue, kCMAttachmentMode_ShouldNotPropagate);
        CHECK_EQ(freed, 1);
        CHECK(CMGetAttachment(bearer, CFSTR("HB_HDR_PLUS"), &mode) == kCFBooleanTrue);
        CHECK_EQ(mode, kCMAttachmentMode_ShouldNotPropagate);
        CFDictionaryRef all = CMCopyDictionaryOfAttachments(NULL, bearer, kCMAttachmentMode_ShouldPropagate);
        CHECK(!all || CFDictionaryGetCount(all) == 0);
        if (all) CFRelease(all);
        all = CMCopyDictionaryOfAttachments(NULL, bearer, kCMAttachmentMode_ShouldNotPropagate);
        if (CHECK(all != NULL)) {
            CHECK_EQ(CFDictionaryGetCount(all), 1);
            CHECK(CFDictionaryGetValue(all, CFSTR("HB_HDR_PLUS")) == kCFBooleanTrue);
            CFRelease(all);
        }
        CMRemoveAttachment(bearer, CFSTR("HB_HDR_PLUS"));
        CHECK(CMGetAttachment(bearer, CFSTR("HB_HDR_PLUS"), NULL) == NULL);

        value = counted();
        CFStringRef keys[2] = {CFSTR("a"), CFSTR("b")};
        CFTypeRef values[2] = {value, kCFBooleanFalse};
        CFDictionaryRef pairs = CFDictionaryCreate(NULL, (const void **)keys, (const void **)values, 2,
            &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
        CMSetAttachments(bearer, pairs, kCMAttachmentMode_ShouldPropagate);
        CFRelease(pairs);
        CFRelease(value);
        CHECK(CMGetAttachment(bearer, CFSTR("b"), NULL) == kCFBooleanFalse);
        CHECK_EQ(freed, 1);
        CMRemoveAllAttachments(bearer);
        CHECK_EQ(freed, 2);
        CHECK(CMGetAttachment(bearer, CFSTR("b"), NULL) == NULL);

        /* The end of the bearer releases its attachments. */
        value = counted();
        CMSetAttachment(bearer, CFSTR("a"), value, kCMAttachmentMode_ShouldNotPropagate);
        CFRelease(value);
        CHECK_EQ(freed, 2);
        CFRelease(bearer);
        CHECK_EQ(freed, 3);
    }
}

/* Containers are objects of the client, whatever they contain: the framework does not read their elements. */
static void test_containers(void) {
    static const int not_an_object = 7;
    const void *element = &not_an_object;
    for (int kind = 0; kind < BEARERS; kind++) {
        CFTypeRef bearer = create_bearer(kind);
        CFArrayRef foreign = CFArrayCreate(NULL, &element, 1, NULL);
        CFMutableDictionaryRef growing =
            CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
        CMSetAttachment(bearer, CFSTR("foreign"), foreign, kCMAttachmentMode_ShouldPropagate);
        CMSetAttachment(bearer, CFSTR("growing"), growing, kCMAttachmentMode_ShouldNotPropagate);
        CFDictionarySetValue(growing, CFSTR("later"), kCFBooleanTrue);
        CHECK(CMGetAttachment(bearer, CFSTR("foreign"), NULL) == foreign);
        CFTypeRef found = CMGetAttachment(bearer, CFSTR("growing"), NULL);
        CHECK(found == growing && CFDictionaryGetValue(found, CFSTR("later")) == kCFBooleanTrue);
        CFRelease(foreign);
        CFRelease(growing);
        CFArrayRef kept = CMGetAttachment(bearer, CFSTR("foreign"), NULL);
        CHECK(kept && CFArrayGetValueAtIndex(kept, 0) == element);
        CFRelease(bearer);
    }
}

static void test_propagation(void) {
    for (int from = 0; from < BEARERS; from++) {
        for (int to = 0; to < BEARERS; to++) {
            CFTypeRef source = create_bearer(from), destination = create_bearer(to);
            CMAttachmentMode mode = 7;
            CMSetAttachment(source, CFSTR("goes"), kCFBooleanTrue, kCMAttachmentMode_ShouldPropagate);
            CMSetAttachment(source, CFSTR("stays"), kCFBooleanTrue, kCMAttachmentMode_ShouldNotPropagate);
            CMSetAttachment(destination, CFSTR("goes"), kCFBooleanFalse, kCMAttachmentMode_ShouldNotPropagate);
            CMSetAttachment(destination, CFSTR("own"), kCFBooleanFalse, kCMAttachmentMode_ShouldPropagate);
            CMPropagateAttachments(source, destination);
            CHECK(CMGetAttachment(destination, CFSTR("goes"), &mode) == kCFBooleanTrue);
            CHECK_EQ(mode, kCMAttachmentMode_ShouldPropagate);
            CHECK(CMGetAttachment(destination, CFSTR("stays"), NULL) == NULL);
            CHECK(CMGetAttachment(destination, CFSTR("own"), NULL) == kCFBooleanFalse);
            CMPropagateAttachments(source, source);
            CFRelease(source);
            CFRelease(destination);
        }
    }
}

/* An image buffer's attachments are those of CVBuffer. */
static void test_image_buffers_are_the_same(void) {
    CFTypeRef image = create_bearer(2);
    CVBufferSetAttachment((CVBufferRef)image, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020,
        kCVAttachmentMode_ShouldPropagate);
    CMAttachmentMode mode = 7;
    CHECK(CMGetAttachment(image, kCVImageBufferColorPrimariesKey, &mode) == kCVImageBufferColorPrimaries_ITU_R_2020);
    CHECK_EQ(mode, kCMAttachmentMode_ShouldPropagate);
    CMSetAttachment(image, CFSTR("mine"), kCFBooleanTrue, kCMAttachmentMode_ShouldNotPropagate);
    CHECK(CVBufferHasAttachment((CVBufferRef)image, CFSTR("mine")));
    CFRelease(image);
}

static void test_wrong_arguments(void) {
    CFTypeRef volatile none = NULL;
    CFStringRef volatile no_key = NULL;
    CFDictionaryRef volatile no_pairs = NULL;
    CFTypeRef bearer = create_bearer(0), bearers[] = {none, kCFBooleanTrue, CFSTR("text")};
    for (int i = 0; i < 3; i++) {
        CMAttachmentMode mode = 7;
        CMSetAttachment(bearers[i], CFSTR("a"), kCFBooleanTrue, 0);
        CMSetAttachments(bearers[i], no_pairs, 0);
        CHECK(CMGetAttachment(bearers[i], CFSTR("a"), &mode) == NULL);
        CHECK_EQ(mode, 0);
        CHECK(CMCopyDictionaryOfAttachments(NULL, bearers[i], 0) == NULL);
        CMRemoveAttachment(bearers[i], CFSTR("a"));
        CMRemoveAllAttachments(bearers[i]);
        CMPropagateAttachments(bearers[i], bearer);
        CMPropagateAttachments(bearer, bearers[i]);
    }
    CMSetAttachment(bearer, no_key, kCFBooleanTrue, 0);
    CMSetAttachment(bearer, CFSTR("a"), kCFBooleanTrue, 2);
    CHECK(CMGetAttachment(bearer, CFSTR("a"), NULL) == NULL);
    CHECK(CMGetAttachment(bearer, no_key, NULL) == NULL);
    CHECK(CMCopyDictionaryOfAttachments(NULL, bearer, 2) == NULL);
    CMRemoveAttachment(bearer, no_key);
    CMSetAttachments(bearer, no_pairs, 0);
    CMSetAttachment(bearer, CFSTR("a"), kCFBooleanTrue, 0);
    CMSetAttachment(bearer, CFSTR("a"), NULL, 0);
    CHECK(CMGetAttachment(bearer, CFSTR("a"), NULL) == NULL);
    CFRelease(bearer);
}

/* A chain in which each bearer is attached to the next one: the release of the last bearer ends all of them. */
static void test_long_chain_of_bearers(void) {
    enum { LENGTH = 50000 };
    for (int kind = 0; kind < BEARERS; kind++) {
        CFTypeRef bearer = counted();
        freed = 0;
        for (int i = 0; i < LENGTH; i++) {
            CFTypeRef next = create_bearer(kind);
            CMSetAttachment(next, CFSTR("former"), bearer, kCMAttachmentMode_ShouldPropagate);
            CFRelease(bearer);
            bearer = next;
        }
        CHECK_EQ(freed, 0);
        CFRelease(bearer);
        CHECK_EQ(freed, 1);
    }
}

int main(void) {
    RUN(test_values);
    RUN(test_containers);
    RUN(test_propagation);
    RUN(test_image_buffers_are_the_same);
    RUN(test_wrong_arguments);
    RUN(test_long_chain_of_bearers);
    return check_result();
}
