/* Decoder configuration records whose parameter sets are not NAL units but their payload, as some readers keep it: without
 * emulation prevention, and without the last byte where it is the stop bit alone. FFmpeg's hwaccel makes such records before
 * version 5, and a Mac decodes with them. */
#ifndef NALU_VT_MENDED_RECORD_H
#define NALU_VT_MENDED_RECORD_H

#include <CoreFoundation/CoreFoundation.h>

/* Only the first units are tried without their stop bit: there are few as a rule, and each doubles the tries. */
enum { nalu_mended_unit_count = 6 };

/* The content of an `avcC` or `hvcC` box. The units that have two zero bytes and a byte below 3, which no NAL unit has, get
 * emulation prevention. Bit i of `stopless`: unit i gets a stop bit. NULL where the record is cut short, where it has no unit
 * of the highest of these bits, and where memory is short. */
CFDataRef nalu_avc_record_copy_mended(const UInt8 *bytes, CFIndex size, unsigned stopless) CF_RETURNS_RETAINED;
CFDataRef nalu_hevc_record_copy_mended(const UInt8 *bytes, CFIndex size, unsigned stopless) CF_RETURNS_RETAINED;

#endif
