/* Which encoder an encoder specification asks for. */
#ifndef NALU_VT_ENCODER_CHOICE_H
#define NALU_VT_ENCODER_CHOICE_H

#include <CoreMedia/CMFormatDescription.h>

/* encoder_id_out: NULL, or malloc'ed where the specification names one. kVTCouldNotFindVideoEncoderErr if there is
 * none. */
OSStatus nalu_choose_encoder(CMVideoCodecType codec, CFDictionaryRef specification, char **encoder_id_out);

#endif
