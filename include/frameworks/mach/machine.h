/**
 * @file
 * The numbers of processor families, which programs read with sysctlbyname.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MACH_MACHINE_H
#define NALU_MACH_MACHINE_H

typedef int cpu_type_t;
typedef int cpu_subtype_t;

#define CPU_ARCH_ABI64 0x01000000
#define CPU_TYPE_ANY ((cpu_type_t)-1)
#define CPU_TYPE_X86 ((cpu_type_t)7)
#define CPU_TYPE_I386 CPU_TYPE_X86
#define CPU_TYPE_X86_64 (CPU_TYPE_X86 | CPU_ARCH_ABI64)
#define CPU_TYPE_ARM ((cpu_type_t)12)
#define CPU_TYPE_ARM64 (CPU_TYPE_ARM | CPU_ARCH_ABI64)

#endif
