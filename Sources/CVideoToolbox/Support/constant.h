/* Exported constant strings. The compiler lays them out, so they need no start-up code. They are immortal, because some
 * programs release constants that they never retained. */
#ifndef NALU_VT_CONSTANT_H
#define NALU_VT_CONSTANT_H

#include <CoreFoundation/CoreFoundation.h>

/* Defines `const CFStringRef name`, which its header declares. */
#define NALU_CONSTANT(name, text)                                                                                      \
    static struct __CFConstStr name##_object = {                                                                       \
        {(uintptr_t)&_CF_CONSTANT_STRING_SWIFT_CLASS, _CF_CONSTANT_OBJECT_STRONG_RC, 0x07C8},                          \
        (uint8_t *)(text),                                                                                             \
        sizeof(text) - 1};                                                                                             \
    const CFStringRef name = (CFStringRef)&name##_object

#endif
