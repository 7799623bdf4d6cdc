/**
 * @file
 * Byte order: BYTE_ORDER, ntohl and similar functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MACHINE_ENDIAN_H
#define NALU_MACHINE_ENDIAN_H

#include <arpa/inet.h>
#include <endian.h>

#endif
