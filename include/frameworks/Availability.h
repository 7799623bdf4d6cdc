/**
 * Availability.h - annotations with versions of Apple's systems, which expand to nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef __AVAILABILITY__
#define __AVAILABILITY__

/** The toolchain's CoreFoundation defines the first three in the same way. */
#define API_AVAILABLE(...)
#define API_DEPRECATED(...)
#define API_UNAVAILABLE(...)
#define API_DEPRECATED_WITH_REPLACEMENT(...)
#define API_AVAILABLE_BEGIN(...)
#define API_AVAILABLE_END

#define __OSX_AVAILABLE(version)
#define __IOS_AVAILABLE(version)
#define __TVOS_AVAILABLE(version)
#define __WATCHOS_AVAILABLE(version)
#define __OSX_AVAILABLE_STARTING(mac, phone)
#define __OSX_AVAILABLE_BUT_DEPRECATED(mac, macDeprecated, phone, phoneDeprecated)
#define __OSX_AVAILABLE_BUT_DEPRECATED_MSG(mac, macDeprecated, phone, phoneDeprecated, message)

#endif
