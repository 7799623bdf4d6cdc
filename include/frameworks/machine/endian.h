/**
 * @file
 * Byte order: BYTE_ORDER, ntohl and similar functions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MACHINE_ENDIAN_H
#define NALU_MACHINE_ENDIAN_H

#include <arpa/inet.h>
#include <endian.h>

#endif
