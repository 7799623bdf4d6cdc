/*
 * CoreFoundation/CoreFoundation.h - the Swift toolchain's CoreFoundation, made fit for C programs written for a Mac.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_COREFOUNDATION_H
#define NALU_COREFOUNDATION_H

/* The toolchain's headers use alloca and makedev without including these. */
#include <alloca.h>
#include <sys/sysmacros.h>

#include_next <CoreFoundation/CoreFoundation.h>

#include <MacTypes.h>

/* The toolchain's CFSTR is an expression with statements, which is not allowed outside functions. */
#if defined(__clang__) && !defined(NALU_KEEP_CFSTR)
#undef CFSTR
#define CFSTR(text) ((CFStringRef)__builtin___CFStringMakeConstantString("" text ""))
#endif

#endif
