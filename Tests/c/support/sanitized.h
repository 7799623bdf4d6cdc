/* IS_SANITIZED: 1 when the tests are built with a sanitizer, under which memory says nothing and all takes longer. */
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

#endif
