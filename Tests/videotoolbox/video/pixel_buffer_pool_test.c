/* CVPixelBufferPool: reuse of memory, thresholds, ages, and four threads. */
#include "video.h"

#include <pthread.h>

static CVPixelBufferPoolRef pool_create(const CFStringRef *keys, const int64_t *numbers, int count) {
    CVPixelBufferPoolRef pool = NULL;
    CFDictionaryRef size = size_create(64, 48, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CFDictionaryRef attributes = count ? numbers_create(keys, numbers, count) : NULL;
    REQUIRE(CVPixelBufferPoolCreate(NULL, attributes, size, &pool) == kCVReturnSuccess);
    CFRelease(size);
    if (attributes) CFRelease(attributes);
    return pool;
}

static CVPixelBufferRef take(CVPixelBufferPoolRef pool) {
    CVPixelBufferRef buffer = NULL;
    REQUIRE(CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &buffer) == kCVReturnSuccess);
    return buffer;
}

/* Behaviour 31: size and format are the requested ones, and the attributes contain them. */
static void test_behaviour_31_attributes(void) {
    CVPixelBufferPoolRef pool = pool_create(NULL, NULL, 0);
    CHECK_EQ(CFGetTypeID(pool), CVPixelBufferPoolGetTypeID());
    CFDictionaryRef attributes = CVPixelBufferPoolGetPixelBufferAttributes(pool);
    CHECK_EQ(number_in(attributes, kCVPixelBufferWidthKey), 64);
    CHECK_EQ(number_in(attributes, kCVPixelBufferHeightKey), 48);
    CHECK_EQ(number_in(attributes, kCVPixelBufferPixelFormatTypeKey),
             kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CHECK_EQ(CFDictionaryGetCount(CVPixelBufferPoolGetAttributes(pool)), 0);
    CVPixelBufferRef buffer = take(pool);
    CHECK_EQ(CVPixelBufferGetWidth(buffer), 64);
    CHECK_EQ(CVPixelBufferGetHeight(buffer), 48);
    CHECK_EQ(CVPixelBufferGetPlaneCount(buffer), 2);
    CFDictionaryRef creation = CVPixelBufferCopyCreationAttributes(buffer);
    CHECK(CFEqual(creation, attributes));
    CFRelease(creation);
    CVPixelBufferPoolRelease(pool);
    /* A buffer lives longer than its pool. */
    memset(CVPixelBufferGetBaseAddressOfPlane(buffer, 0), 1, CVPixelBufferGetBytesPerRowOfPlane(buffer, 0) * 48);
    CFRelease(buffer);
}

/* The first known format of an array counts, also in a dictionary that does not retain its values. */
static void test_behaviour_21_plain_dictionary(void) {
    const int64_t codes[] = {0x3f3f3f3f, kCVPixelFormatType_32BGRA, kCVPixelFormatType_32RGBA};
    CVPixelBufferPoolRef pool = NULL;
    const void *formats[3];
    for (int i = 0; i < 3; i++) formats[i] = CFNumberCreate(NULL, kCFNumberSInt64Type, &codes[i]);
    CFArrayRef array = CFArrayCreate(NULL, formats, 3, &kCFTypeArrayCallBacks);
    const int width = 10, height = 20;
    CFNumberRef width_number = CFNumberCreate(NULL, kCFNumberIntType, &width);
    CFNumberRef height_number = CFNumberCreate(NULL, kCFNumberIntType, &height);
    const void *keys[] = {kCVPixelBufferWidthKey, kCVPixelBufferHeightKey, kCVPixelBufferPixelFormatTypeKey};
    const void *values[] = {width_number, height_number, array};
    CFDictionaryRef plain = CFDictionaryCreate(NULL, keys, values, 3, NULL, NULL);
    REQUIRE(CVPixelBufferPoolCreate(NULL, NULL, plain, &pool) == kCVReturnSuccess);
    CFRelease(plain);
    CFRelease(width_number);
    CFRelease(height_number);
    CFRelease(array);
    for (int i = 0; i < 3; i++) CFRelease(formats[i]);
    CVPixelBufferRef buffer = take(pool);
    CHECK_EQ(CVPixelBufferGetPixelFormatType(buffer), kCVPixelFormatType_32BGRA);
    CHECK_EQ(CVPixelBufferGetWidth(buffer), 10);
    CFRelease(buffer);
    CHECK_EQ(number_in(CVPixelBufferPoolGetPixelBufferAttributes(pool), kCVPixelBufferPixelFormatTypeKey),
             kCVPixelFormatType_32BGRA);
    CFRelease(pool);
}

/* The same for attachments in the attributes of pools and buffers, and for a dictionary among them. */
static void test_behaviour_21_plain_attachments(void) {
    const double level = 2.5;
    CVPixelBufferPoolRef pool = NULL;
    CVPixelBufferRef buffers[2] = {NULL, NULL};
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberDoubleType, &level);
    const void *inner_keys[] = {CFSTR("Inner")}, *inner_values[] = {number};
    CFDictionaryRef inner = CFDictionaryCreate(NULL, inner_keys, inner_values, 1, NULL, NULL);
    const void *keys[] = {CFSTR("Number"), CFSTR("Dictionary")}, *values[] = {number, inner};
    CFDictionaryRef attachments = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
    CFDictionaryRef size = size_create(4, 4, kCVPixelFormatType_32BGRA);
    CFMutableDictionaryRef attributes = CFDictionaryCreateMutableCopy(NULL, 0, size);
    CFDictionarySetValue(attributes, kCVBufferPropagatedAttachmentsKey, attachments);
    REQUIRE(CVPixelBufferPoolCreate(NULL, NULL, attributes, &pool) == kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, 4, kCVPixelFormatType_32BGRA, attributes, &buffers[1]), kCVReturnSuccess);
    CHECK(CFDictionaryGetValue(CVPixelBufferPoolGetPixelBufferAttributes(pool), kCVBufferPropagatedAttachmentsKey) !=
          attachments);
    CHECK(CVBufferGetAttachment(buffers[1], CFSTR("Dictionary"), NULL) != inner);
    CFRelease(attributes);
    CFRelease(attachments);
    CFRelease(inner);
    CFRelease(number);
    buffers[0] = take(pool);
    for (int i = 0; i < 2; i++) {
        double read = 0, read_inside = 0;
        CFDictionaryRef inside = CVBufferGetAttachment(buffers[i], CFSTR("Dictionary"), NULL);
        REQUIRE(inside != NULL);
        CFNumberGetValue(CVBufferGetAttachment(buffers[i], CFSTR("Number"), NULL), kCFNumberDoubleType, &read);
        CFNumberGetValue(CFDictionaryGetValue(inside, CFSTR("Inner")), kCFNumberDoubleType, &read_inside);
        CHECK(read == level && read_inside == level);
        CFRelease(buffers[i]);
    }
    CFRelease(size);
    CFRelease(pool);
}

static void test_reuse(void) {
    CVPixelBufferPoolRef pool = pool_create(NULL, NULL, 0);
    CVPixelBufferRef first = take(pool), second = take(pool);
    void *address = CVPixelBufferGetBaseAddressOfPlane(first, 0);
    CHECK(address != CVPixelBufferGetBaseAddressOfPlane(second, 0));
    CVBufferSetAttachment(first, CFSTR("a"), kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    CVPixelBufferRelease(first);
    first = take(pool);
    CHECK(CVPixelBufferGetBaseAddressOfPlane(first, 0) == address);
    CHECK(!CVBufferHasAttachment(first, CFSTR("a")));
    CFRelease(first);
    CFRelease(second);
    CVPixelBufferPoolFlush(pool, kCVPixelBufferPoolFlushExcessBuffers);
    CFRelease(take(pool));
    CFRelease(pool);
}

static void test_threshold(void) {
    const CFStringRef keys[] = {kCVPixelBufferPoolAllocationThresholdKey};
    const int64_t limit[] = {2}, nothing[] = {-1};
    CFDictionaryRef auxiliary = numbers_create(keys, limit, 1), wrong = numbers_create(keys, nothing, 1);
    CVPixelBufferPoolRef pool = pool_create(NULL, NULL, 0);
    CVPixelBufferRef buffers[3] = {NULL};
    for (int i = 0; i < 2; i++)
        CHECK_EQ(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(NULL, pool, auxiliary, &buffers[i]), 0);
    CHECK_EQ(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(NULL, pool, auxiliary, &buffers[2]),
             kCVReturnWouldExceedAllocationThreshold);
    CHECK(buffers[2] == NULL);
    CFRelease(buffers[0]);
    CHECK_EQ(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(NULL, pool, auxiliary, &buffers[0]), 0);
    CHECK_EQ(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(NULL, pool, wrong, &buffers[2]),
             kCVReturnInvalidPoolAttributes);
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &buffers[2]), 0);
    for (int i = 0; i < 3; i++) CFRelease(buffers[i]);
    CFRelease(pool);
    CFRelease(auxiliary);
    CFRelease(wrong);
}

static void test_attachments_of_new_buffers(void) {
    CVPixelBufferPoolRef pool = NULL;
    const void *keys[] = {kCVImageBufferColorPrimariesKey}, *values[] = {kCVImageBufferColorPrimaries_P22};
    CFDictionaryRef colors =
        CFDictionaryCreate(NULL, keys, values, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionaryRef size = size_create(4, 4, kCVPixelFormatType_32BGRA);
    CFMutableDictionaryRef attributes = CFDictionaryCreateMutableCopy(NULL, 0, size);
    CFDictionarySetValue(attributes, kCVBufferPropagatedAttachmentsKey, colors);
    REQUIRE(CVPixelBufferPoolCreate(NULL, NULL, attributes, &pool) == kCVReturnSuccess);
    CVPixelBufferRef buffer = take(pool);
    CHECK(CVBufferGetAttachment(buffer, kCVImageBufferColorPrimariesKey, NULL) == kCVImageBufferColorPrimaries_P22);
    CFRelease(buffer);
    CFRelease(pool);
    CFRelease(attributes);
    CFRelease(size);
    CFRelease(colors);
}

static void test_wrong_arguments(void) {
    CVPixelBufferPoolRef pool = NULL;
    CVPixelBufferPoolRef volatile none = NULL;
    CVPixelBufferPoolRef *volatile nowhere = NULL;
    CVPixelBufferRef buffer = NULL;
    CFDictionaryRef good = size_create(4, 4, kCVPixelFormatType_32BGRA);
    CFDictionaryRef zero = size_create(0, 4, kCVPixelFormatType_32BGRA);
    CFDictionaryRef negative = size_create(4, -4, kCVPixelFormatType_32BGRA);
    CFDictionaryRef unknown = size_create(4, 4, 0x3f3f3f3f);
    CFMutableDictionaryRef text = CFDictionaryCreateMutableCopy(NULL, 0, good);
    CFDictionarySetValue(text, kCVPixelBufferWidthKey, CFSTR("4"));
    CFMutableDictionaryRef counts = CFDictionaryCreateMutableCopy(NULL, 0, good);
    CFDictionarySetValue(counts, kCVPixelBufferPoolMinimumBufferCountKey, CFSTR("4"));
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, good, nowhere), kCVReturnInvalidArgument);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, NULL, &pool), kCVReturnInvalidPixelBufferAttributes);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, zero, &pool), kCVReturnInvalidPixelBufferAttributes);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, negative, &pool), kCVReturnInvalidPixelBufferAttributes);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, text, &pool), kCVReturnInvalidPixelBufferAttributes);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, NULL, unknown, &pool), kCVReturnInvalidPixelFormat);
    CHECK_EQ(CVPixelBufferPoolCreate(NULL, counts, good, &pool), kCVReturnInvalidPoolAttributes);
    CHECK(pool == NULL);
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, none, &buffer), kCVReturnInvalidArgument);
    CHECK(CVPixelBufferPoolGetAttributes(none) == NULL && CVPixelBufferPoolGetPixelBufferAttributes(none) == NULL);
    CVPixelBufferPoolFlush(none, 0);
    CHECK(CVPixelBufferPoolRetain(none) == NULL);
    CVPixelBufferPoolRelease(none);
    CFRelease(good);
    CFRelease(zero);
    CFRelease(negative);
    CFRelease(unknown);
    CFRelease(text);
    CFRelease(counts);
}

static void *churn(void *pool) {
    CVPixelBufferRef held[3] = {NULL};
    for (int i = 0; i < 6000; i++) {
        CVPixelBufferRef *place = &held[i % 3];
        if (*place) {
            const uint8_t *luma = CVPixelBufferGetBaseAddressOfPlane(*place, 0);
            /* No other buffer has this memory. */
            CHECK_EQ(*(const uint64_t *)luma, (uint64_t)(uintptr_t)held);
            CFRelease(*place);
        }
        *place = take(pool);
        *(uint64_t *)CVPixelBufferGetBaseAddressOfPlane(*place, 0) = (uint64_t)(uintptr_t)held;
        if (i % 500 == 0) CVPixelBufferPoolFlush(pool, kCVPixelBufferPoolFlushExcessBuffers);
    }
    for (int i = 0; i < 3; i++) CFRelease(held[i]);
    CFRelease(pool);
    return NULL;
}

static void test_four_threads(void) {
    const CFStringRef keys[] = {kCVPixelBufferPoolMinimumBufferCountKey, kCVPixelBufferPoolMaximumBufferAgeKey};
    const int64_t numbers[] = {3, 0};
    pthread_t threads[4];
    CVPixelBufferPoolRef pool = pool_create(keys, numbers, 2);
    CHECK_EQ(number_in(CVPixelBufferPoolGetAttributes(pool), kCVPixelBufferPoolMinimumBufferCountKey), 3);
    for (int i = 0; i < 4; i++) {
        CFRetain(pool);
        REQUIRE(pthread_create(&threads[i], NULL, churn, pool) == 0);
    }
    CFRelease(pool);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

int main(void) {
    RUN(test_behaviour_31_attributes);
    RUN(test_behaviour_21_plain_dictionary);
    RUN(test_behaviour_21_plain_attachments);
    RUN(test_reuse);
    RUN(test_threshold);
    RUN(test_attachments_of_new_buffers);
    RUN(test_wrong_arguments);
    RUN(test_four_threads);
    return check_result();
}
