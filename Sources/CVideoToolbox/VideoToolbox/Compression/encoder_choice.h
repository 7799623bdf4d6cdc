/* The choice of an encoder by an encoder specification. */
#ifndef NALU_VT_ENCODER_CHOICE_H
#define NALU_VT_ENCODER_CHOICE_H

#include <CoreMedia/CMFormatDescription.h>

/* Finds the encoder. `encoder_id_out` receives the ID in the specification, allocated with malloc, or NULL if it has
 * none. Returns kVTCouldNotFindVideoEncoderErr if no encoder fits. */
OSStatus nalu_choose_encoder(CMVideoCodecType codec, CFDictionaryRef specification, char **encoder_id_out);

#endif
