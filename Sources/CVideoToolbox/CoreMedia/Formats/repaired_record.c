#include "repaired_record.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of reading a record and writing a corrected copy. */
typedef struct rewriting {
    const UInt8 *bytes;
    CFIndex left;
    CFMutableDataRef output;
    unsigned stopless; /* bit i: NAL unit i, counted from here, needs a stop bit */
} rewriting;

static bool copy(rewriting *self, CFIndex count) {
    if (count > self->left) return false;
    CFDataAppendBytes(self->output, self->bytes, count);
    self->bytes += count;
    self->left -= count;
    return true;
}

/* Returns true if a unit contains a byte sequence that no NAL unit has. Zero bytes at the end are allowed. */
static bool lacks_emulation_prevention(const UInt8 *unit, CFIndex size) {
    int zeros = 0;
    for (CFIndex i = 0; i < size; i++) {
        if (unit[i] == 0) zeros++;
        else if (zeros >= 3 || (zeros == 2 && unit[i] <= 2)) return true;
        else zeros = 0;
    }
    return false;
}

static void append_escaped(CFMutableDataRef output, const UInt8 *unit, CFIndex size) {
    static const UInt8 prevention = 3;
    int zeros = 0;
    for (CFIndex i = 0; i < size; i++) {
        if (zeros == 2 && unit[i] <= 3) {
            CFDataAppendBytes(output, &prevention, 1);
            zeros = 0;
        }
        zeros = unit[i] == 0 ? zeros + 1 : 0;
        CFDataAppendBytes(output, &unit[i], 1);
    }
}

/* Copies a NAL unit that follows its length of two bytes, and corrects it. */
static bool copy_unit(rewriting *self) {
    static const UInt8 stop = 0x80;
    if (self->left < 2) return false;
    const CFIndex size = self->bytes[0] << 8 | self->bytes[1], start = CFDataGetLength(self->output);
    const UInt8 *unit = self->bytes + 2;
    if (!copy(self, 2) || size > self->left) return false;
    if (lacks_emulation_prevention(unit, size)) append_escaped(self->output, unit, size);
    else CFDataAppendBytes(self->output, unit, size);
    if (self->stopless & 1) CFDataAppendBytes(self->output, &stop, 1);
    self->stopless >>= 1;
    self->bytes += size;
    self->left -= size;
    const CFIndex repaired = CFDataGetLength(self->output) - start - 2;
    if (repaired > UINT16_MAX) return false;
    CFDataReplaceBytes(self->output, CFRangeMake(start, 2), (const UInt8[2]){(UInt8)(repaired >> 8), (UInt8)repaired}, 2);
    return true;
}

static bool copy_units(rewriting *self, int count) {
    while (count-- > 0)
        if (!copy_unit(self)) return false;
    return true;
}

/* Copies an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1): five bytes, then the SPS and the PPS after their
 * counts. The SPS extensions that may follow are not corrected, because no other unit depends on them. */
static bool copy_avc(rewriting *self) {
    if (self->left < 6) return false;
    const int sequence_count = self->bytes[5] & 31;
    if (!copy(self, 6) || !copy_units(self, sequence_count) || self->left < 1) return false;
    const int picture_count = self->bytes[0];
    return copy(self, 1) && copy_units(self, picture_count) && copy(self, self->left);
}

/* Copies an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1): 22 bytes, the number of arrays, then the
 * arrays. Each array has a type, a count and NAL units. */
static bool copy_hevc(rewriting *self) {
    if (self->left < 23) return false;
    const int array_count = self->bytes[22];
    if (!copy(self, 23)) return false;
    for (int i = 0; i < array_count; i++) {
        if (self->left < 3) return false;
        const int unit_count = self->bytes[1] << 8 | self->bytes[2];
        if (!copy(self, 3) || !copy_units(self, unit_count)) return false;
    }
    return copy(self, self->left);
}

static CFDataRef rewrite(const UInt8 *bytes, CFIndex size, unsigned stopless, bool (*copy_record)(rewriting *))
    CF_RETURNS_RETAINED {
    rewriting self = {bytes, size, CFDataCreateMutable(NULL, 0), stopless};
    if (!self.output) return NULL;
    if (copy_record(&self) && self.stopless == 0) return self.output;
    CFRelease(self.output);
    return NULL;
}

CFDataRef nalu_avc_record_copy_repaired(const UInt8 *bytes, CFIndex size, unsigned stopless) {
    return rewrite(bytes, size, stopless, copy_avc);
}

CFDataRef nalu_hevc_record_copy_repaired(const UInt8 *bytes, CFIndex size, unsigned stopless) {
    return rewrite(bytes, size, stopless, copy_hevc);
}
