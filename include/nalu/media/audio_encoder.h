/**
 * @file
 * Encodes audio: PCM in, AAC-LC out, in step with the host clock.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_AUDIO_ENCODER_H
#define NALU_MEDIA_AUDIO_ENCODER_H

#include "../base.h"
#include "../format.h"
#include "../sample.h"
#include "../time.h"

NALU_BEGIN_DECLS

/**
 * Encodes interleaved PCM as AAC-LC with FFmpeg's encoder `aac`. Reference-counted.
 *
 * @code{.c}
 * nalu_audio_encoder *encoder = NULL;
 * nalu_sample *sample = NULL;
 * status = nalu_audio_encoder_create(48000, 2, NULL, &encoder);
 * status = nalu_writer_add_track(writer, nalu_audio_encoder_get_format_description(encoder), NULL,
 *                                &track);
 * // for each buffer of the audio device, with the host time of its first frame:
 * status = nalu_audio_encoder_encode(encoder, buffer, frame_count, NALU_AUDIO_INT16, time);
 * while ((status = nalu_audio_encoder_next_sample(encoder, &sample)) == NALU_STATUS_OK && sample) {
 *     status = nalu_writer_write_sample(writer, track, sample);
 *     nalu_sample_release(sample);
 * }
 * @endcode
 *
 * A frame is one PCM value for each channel. The channels have this order: front left, front right,
 * front centre, low-frequency effects, back left, back right, back centre, side left, side right,
 * of which
 *
 * @code{.c}
 * 1  centre                     5  left right centre back-left back-right
 * 2  left right                 6  5 channels with low-frequency effects
 * 3  left right centre          7  6 channels with back centre and sides in place of the backs
 * 4  left right centre back     8  6 channels with sides
 * @endcode
 *
 * A sample is one packet of up to 1024 frames. Its presentation time is the host time at which its
 * frames were captured. The first sample precedes the first captured frame by 1024 frames, the
 * encoder's priming: players of mp4, mov and matroska skip it, and in every container the audio is
 * in step with the video.
 *
 * The clock of an audio device runs up to 0.1 % faster or slower than the host clock, and after an
 * hour the audio would be off by seconds. The encoder compares the times of the buffers with the
 * number of frames, and resamples the audio so that it stays within 20 ms of the host clock. Times
 * may jitter by 40 ms around the times of capture.
 *
 * If a buffer begins more than 15 ms after the end of the audio so far, the device has lost frames,
 * or has only stamped the buffer late. The encoder holds the buffer until later ones decide:
 * usually for 40 ms of audio, and for 0.25 seconds in the first half second. If they are late by
 * the same time, silence takes the place of the lost frames. If they are in time, nothing is
 * inserted. In the same way, frames that the device delivers twice are left out. If the times of
 * the device jitter by more than 10 ms, a gap must be longer than 1.25 times that jitter, and the
 * decision takes six times that jitter; resampling closes shorter gaps, by at most 10 ms in a
 * second. nalu_audio_encoder_finish takes what the encoder still holds for the end of a gap.
 *
 * Calls on one encoder run one after the other.
 */
typedef struct nalu_audio_encoder nalu_audio_encoder;

/** Options of an audio encoder. Start from NALU_AUDIO_ENCODER_OPTIONS_INIT. */
typedef struct nalu_audio_encoder_options {
    uint32_t struct_size; /**< sizeof(nalu_audio_encoder_options) */
    uint32_t reserved;    /**< 0 */
    /**
     * The average bit rate in bits per second: from 8000 to 6 times the sample rate, each times the
     * number of channels. Default: 0, 1.5 times the sample rate for each channel, for example
     * 144000 for 48000 Hz and two channels.
     */
    int64_t bit_rate;
} nalu_audio_encoder_options;

#define NALU_AUDIO_ENCODER_OPTIONS_INIT {(uint32_t)sizeof(nalu_audio_encoder_options), 0, 0}

/** The type of a PCM value, in the byte order of the machine. */
enum {
    NALU_AUDIO_INT16 = 1,  /**< int16_t, -32768 to 32767 */
    NALU_AUDIO_FLOAT32 = 2 /**< float, -1 to 1; values beyond are limited, NaN is silence */
};

/**
 * Creates an encoder.
 *
 * @param sample_rate frames per second: 7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000,
 *   44100, 48000, 64000, 88200 or 96000.
 * @param channel_count 1 to 8.
 * @param options NULL for the defaults.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE sample_rate, channel_count, or a number in options
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg cannot be loaded (load.h), or has no encoder
 *   of AAC
 * @par Ownership
 * encoder_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_audio_encoder_create(int32_t sample_rate,
    int32_t channel_count, const nalu_audio_encoder_options *options,
    nalu_audio_encoder **encoder_out);

/** Adds a reference, and returns encoder. */
NALU_API nalu_audio_encoder *nalu_audio_encoder_retain(nalu_audio_encoder *encoder);

/** Releases one reference. The last release drops samples that were not taken. */
NALU_API void nalu_audio_encoder_release(nalu_audio_encoder *encoder);

/**
 * Returns the format description of the samples, for nalu_writer_add_track.
 *
 * @par Ownership
 * The format description lives as long as the encoder, or longer if the caller retains it.
 */
NALU_API nalu_format_description *nalu_audio_encoder_get_format_description(
    const nalu_audio_encoder *encoder);

/**
 * Encodes the next frames.
 *
 * @param frames frame_count * channel_count values, channel after channel within a frame.
 * @param frame_count 0 does nothing.
 * @param value_type NALU_AUDIO_INT16 or NALU_AUDIO_FLOAT32.
 * @param time the host time of the first frame. After the first call the invalid time means that
 *   the frames follow those of the previous call.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE value_type, or frame_count exceeds 16777216
 * @retval NALU_STATUS_INVALID_TIME time is not numeric, or is more than 10 seconds from the end of
 *   the previous call's frames; nothing is encoded
 * @retval NALU_STATUS_OUT_OF_ORDER the encoder is finished
 * @retval NALU_STATUS_ENCODER_MALFUNCTION FFmpeg reports an error
 * @par Ownership
 * The frames are copied.
 */
NALU_API NALU_NODISCARD nalu_status nalu_audio_encoder_encode(nalu_audio_encoder *encoder,
    const void *frames, size_t frame_count, uint32_t value_type, nalu_time time);

/**
 * Removes the next sample from the encoder.
 *
 * @param sample_out receives the sample; NULL if more frames are needed, or after the last sample.
 * @return NALU_STATUS_OK, or a common status (base.h).
 * @par Ownership
 * sample_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_audio_encoder_next_sample(nalu_audio_encoder *encoder,
    nalu_sample **sample_out);

/**
 * Encodes the frames that wait for a full packet. Afterwards nalu_audio_encoder_next_sample returns
 * the last samples, and nothing can be encoded. A second call does nothing.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_ENCODER_MALFUNCTION FFmpeg reports an error
 */
NALU_API NALU_NODISCARD nalu_status nalu_audio_encoder_finish(nalu_audio_encoder *encoder);

/** The corrections of an audio encoder so far. */
typedef struct nalu_audio_encoder_counts {
    uint32_t struct_size; /**< sizeof(nalu_audio_encoder_counts), set by the caller */
    uint32_t reserved;    /**< 0 */
    uint64_t frames_in;   /**< frames that were passed to the encoder */
    uint64_t frames_out;  /**< frames that were encoded, at the rate of the host clock */
    /** Frames of silence in place of missing ones, and frames that were left out (see above). */
    uint64_t inserted_frames;
    uint64_t dropped_frames;
    /**
     * The mean difference between the host clock and the encoded audio in the last half second, in
     * seconds; positive if the audio is early.
     */
    double offset;
} nalu_audio_encoder_counts;

/**
 * Reads the corrections so far.
 *
 * @param counts_out struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_audio_encoder_get_counts(
    const nalu_audio_encoder *encoder, nalu_audio_encoder_counts *counts_out);

NALU_END_DECLS

#endif
