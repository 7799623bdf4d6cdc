/**
 * AvailabilityMacros.h - attributes. Versions of macOS are not defined.
 *
 * MAC_OS_X_VERSION_MIN_REQUIRED and MAC_OS_X_VERSION_MAX_ALLOWED are therefore 0 in `#if`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef __AVAILABILITYMACROS__
#define __AVAILABILITYMACROS__

#define DEPRECATED_ATTRIBUTE __attribute__((deprecated))
#define UNAVAILABLE_ATTRIBUTE __attribute__((unavailable))
#define WEAK_IMPORT_ATTRIBUTE __attribute__((weak))

#endif
