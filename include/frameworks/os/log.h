/**
 * @file
 * A Mac's log. Nothing is logged here, but arguments are evaluated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef __OS_LOG_H__
#define __OS_LOG_H__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct os_log_s *os_log_t;

typedef uint8_t os_log_type_t;
#define OS_LOG_TYPE_DEFAULT ((os_log_type_t)0x00)
#define OS_LOG_TYPE_INFO ((os_log_type_t)0x01)
#define OS_LOG_TYPE_DEBUG ((os_log_type_t)0x02)
#define OS_LOG_TYPE_ERROR ((os_log_type_t)0x10)
#define OS_LOG_TYPE_FAULT ((os_log_type_t)0x11)

#define OS_LOG_DEFAULT ((os_log_t)NULL)
#define OS_LOG_DISABLED ((os_log_t)NULL)

/** Returns OS_LOG_DEFAULT. */
static __inline__ os_log_t os_log_create(const char *subsystem, const char *category) {
    (void)subsystem, (void)category;
    return OS_LOG_DEFAULT;
}

/** Returns false. */
static __inline__ bool os_log_type_enabled(os_log_t log, os_log_type_t type) {
    (void)log, (void)type;
    return false;
}

/** Does nothing. The format is not checked, because formats have annotations such as %{public}s. */
static __inline__ void nalu_os_log_nothing(
    os_log_t log, os_log_type_t type, const char *format, ...) {
    (void)log, (void)type, (void)format;
}

#define os_log_with_type(log, type, ...) nalu_os_log_nothing(log, type, __VA_ARGS__)
#define os_log(log, ...) os_log_with_type(log, OS_LOG_TYPE_DEFAULT, __VA_ARGS__)
#define os_log_info(log, ...) os_log_with_type(log, OS_LOG_TYPE_INFO, __VA_ARGS__)
#define os_log_debug(log, ...) os_log_with_type(log, OS_LOG_TYPE_DEBUG, __VA_ARGS__)
#define os_log_error(log, ...) os_log_with_type(log, OS_LOG_TYPE_ERROR, __VA_ARGS__)
#define os_log_fault(log, ...) os_log_with_type(log, OS_LOG_TYPE_FAULT, __VA_ARGS__)

#endif
