/* Corrects decoder configuration records whose parameter sets are bare payloads (RBSPs), not NAL units. They lack
 * emulation prevention, and the last byte if it held only the stop bit. FFmpeg's hwaccel makes such records before
 * version 5, and a Mac decodes with them. */
#ifndef NALU_VT_REPAIRED_RECORD_H
#define NALU_VT_REPAIRED_RECORD_H

#include <CoreFoundation/CoreFoundation.h>

/* The number of NAL units that are tried without their stop bit. Records rarely have more, and each unit doubles the
 * number of tries. */
enum { nalu_repaired_unit_count = 6 };

/* Returns a corrected copy of the content of an `avcC` or `hvcC` box. A unit with two zero bytes and a byte below 3,
 * which no NAL unit has, gets emulation prevention. Bit i of `stopless` adds a stop bit to unit i. Returns NULL if the
 * record is cut short, if it has no unit for the highest set bit, and if memory is short. */
CFDataRef nalu_avc_record_copy_repaired(const UInt8 *bytes, CFIndex size, unsigned stopless) CF_RETURNS_RETAINED;
CFDataRef nalu_hevc_record_copy_repaired(const UInt8 *bytes, CFIndex size, unsigned stopless) CF_RETURNS_RETAINED;

#endif
