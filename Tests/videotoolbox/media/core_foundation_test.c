/* CoreFoundation/CoreFoundation.h and the small headers of a Mac: the parts that programs for a Mac need. */
#include <Availability.h>
#include <AvailabilityMacros.h>
#include <CoreGraphics/CoreGraphics.h>
#include <Foundation/Foundation.h>
#include <TargetConditionals.h>
#include <mach/machine.h>
#include <sys/sysctl.h>

#include "check.h"

#if !TARGET_OS_LINUX || TARGET_OS_MAC || TARGET_OS_OSX || TARGET_OS_IPHONE || !TARGET_RT_LITTLE_ENDIAN
#error "TargetConditionals.h"
#endif
#if MAC_OS_X_VERSION_MAX_ALLOWED >= 101300
#error "AvailabilityMacros.h"
#endif

/* Constant strings outside functions. */
static const CFStringRef name = CFSTR("at file scope");
static const struct { CFStringRef key; int value; } table[] = {{CFSTR("one"), 1}, {CFSTR("two"), 2}};

static void test_strings_at_file_scope(void) {
    CFStringRef same = CFStringCreateWithCString(NULL, "at file scope", kCFStringEncodingUTF8);
    CHECK(CFEqual(name, same));
    CHECK_EQ(CFStringGetLength(table[1].key), 3);
    CFRelease(same);
}

static void test_dictionaries_leave_null_pairs_out(void) {
    const void *keys[] = {CFSTR("a"), NULL, CFSTR("b"), NULL, CFSTR("c")};
    const void *values[] = {kCFBooleanTrue, kCFBooleanTrue, kCFBooleanFalse, NULL, NULL};
    CFDictionaryRef dictionary = CFDictionaryCreate(
        NULL, keys, values, 5, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK_EQ(CFDictionaryGetCount(dictionary), 2);
    CHECK(CFDictionaryGetValue(dictionary, CFSTR("a")) == kCFBooleanTrue);
    CHECK(CFDictionaryGetValue(dictionary, CFSTR("b")) == kCFBooleanFalse);
    CFRelease(dictionary);

    const void *nothing[] = {NULL};
    dictionary = CFDictionaryCreate(
        NULL, nothing, nothing, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK_EQ(CFDictionaryGetCount(dictionary), 0);
    CFRelease(dictionary);

    /* Keys without callbacks are plain pointers, and may be NULL. */
    dictionary = CFDictionaryCreate(NULL, nothing, nothing, 1, NULL, NULL);
    CHECK_EQ(CFDictionaryGetCount(dictionary), 1);
    CFRelease(dictionary);
}

static void test_names_of_a_mac(void) {
#ifndef kCFCoreFoundationVersionNumber10_7
#error "FFmpeg knows '420v' only where this is defined."
#endif
    CHECK(kCFCoreFoundationVersionNumber >= kCFCoreFoundationVersionNumber10_11);
    CHECK_EQ(noErr, 0);
    CHECK_EQ(paramErr, -50);
    CHECK_EQ(memFullErr, -108);
    CHECK_EQ(sizeof(uint8), 1);
    CHECK_EQ(CPU_TYPE_X86_64, 0x01000007);
    size_t size = sizeof(int);
    int answer = 0;
    CHECK_EQ(sysctlbyname("hw.cputype", &answer, &size, NULL, 0), -1);
    const CGRect rectangle = CGRectMake(1, 2, 3, 4);
    CHECK(rectangle.origin.y == 2 && rectangle.size.width == 3);
}

int main(void) {
    RUN(test_strings_at_file_scope);
    RUN(test_dictionaries_leave_null_pairs_out);
    RUN(test_names_of_a_mac);
    return check_result();
}
