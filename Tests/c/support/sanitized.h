/*
 * IS_SANITIZED: 1 when the tests are built with a sanitizer, under which memory says nothing and all takes longer.
 * is_tried: whether a case of many is tried there.
 */
#ifndef NALU_TESTS_SANITIZED_H
#define NALU_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* IS_ADDRESS_SANITIZED: 1 with AddressSanitizer, which looks for leaks. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_ADDRESS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_ADDRESS_SANITIZED 1
#endif
#endif
#ifndef IS_ADDRESS_SANITIZED
#define IS_ADDRESS_SANITIZED 0
#endif

#if IS_ADDRESS_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif
#include <stdlib.h>

/*
 * Of cases that differ in their figures alone, and take the same ways through the library, a sanitizer is given each third:
 * the figures are those that the plain build has. NALU_SOAK in the environment: all of them.
 */
static inline int is_tried(int number) { return !IS_SANITIZED || number % 3 == 0 || getenv("NALU_SOAK") != NULL; }

#endif
