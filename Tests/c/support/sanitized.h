/*
 * IS_SANITIZED: 1 if the tests are built with a sanitizer, under which memory figures mean nothing and
 * everything is slower. is_tried: whether to run a case of many under a sanitizer.
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

/* IS_ADDRESS_SANITIZED: 1 with AddressSanitizer, which detects leaks. */
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

/* IS_THREAD_SANITIZED: 1 with ThreadSanitizer, which detects data races. */
#define IS_THREAD_SANITIZED (IS_SANITIZED && !IS_ADDRESS_SANITIZED)

#if IS_ADDRESS_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif
#include <stdlib.h>

/*
 * For cases that differ only in their numbers and take the same paths through the library. A sanitizer runs
 * every third of them; the build without a sanitizer runs them all. NALU_SOAK in the environment: all of them.
 */
static inline int is_tried(int number) { return !IS_SANITIZED || number % 3 == 0 || getenv("NALU_SOAK") != NULL; }

#endif
