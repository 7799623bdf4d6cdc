/*
 * Samples with the encoder's own error of each picture, to which the pictures of a decoder are compared: a decoder that
 * shows the encoder's own pictures has the same errors.
 */
#ifndef NALU_TESTS_MEASURED_H
#define NALU_TESTS_MEASURED_H

#include "clip.h"
#include "ffmpeg.h"

enum { MEASURED_MOST = 512 };

typedef struct measured {
    clip *c;
    nalu_sample *samples[MEASURED_MOST];
    double errors[MEASURED_MOST]; /* mean squared error of luma, from the encoder */
    uint8_t *luma[MEASURED_MOST]; /* of the frame that was encoded */
    int32_t count, drops;
} measured;

/* Begins with an open clip, and sets CalculateMeanSquaredError. */
void measured_begin(measured *m, clip *c);

/* Encodes the next frame of the clip at 30 frames per second. */
void measured_encode(measured *m, uint32_t flags);

/* Checks that decoded picture `index` has the error that the encoder has found. `name` is for messages. */
void measured_check(const measured *m, const pictures *decoded, int32_t index, const char *name);

/* Releases the samples, and closes the clip. */
void measured_end(measured *m);

#endif
