/**
 * @file
 * Divides a video into chunks that several workers encode: threads, processes or machines.
 *
 * A plan contains the places of the cuts and the settings of all sessions. chunk_work.h encodes the
 * chunks and joins the results. docs/chunks.md describes the method.
 *
 * base.h has the conventions for statuses and structs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_CHUNK_PLAN_H
#define NALU_MEDIA_CHUNK_PLAN_H

#include "../base.h"
#include "../pixel_buffer.h"
#include "../properties.h"
#include "../time.h"
#include "reader.h"

NALU_BEGIN_DECLS

/**
 * Opens the file of a source. Returns NALU_STATUS_OK, or a status with which the calling function
 * fails.
 *
 * @par Ownership
 * The function that calls it takes over the reference of reader_out, and releases it before it
 * returns.
 * @par Threading
 * The thread that calls the function with the source.
 */
typedef nalu_status (*nalu_chunk_open_callback)(void *refcon, nalu_reader **reader_out);

/** A frame of a source: see nalu_compression_session_encode_planes. */
typedef struct nalu_chunk_frame {
    int32_t width, height;                 /**< pixels */
    nalu_pixel_format format;              /**< the pixel format */
    uint32_t plane_count;                  /**< 1 to NALU_MAX_PLANES, as the format demands */
    const void *planes[NALU_MAX_PLANES];   /**< the first row of each plane */
    int64_t strides[NALU_MAX_PLANES];      /**< bytes from one row to the next */
    uint64_t plane_sizes[NALU_MAX_PLANES]; /**< the bytes that each plane holds */
} nalu_chunk_frame;

/**
 * Fills in the frame with this index. Returns NALU_STATUS_OK, or a status with which the calling
 * function fails. The planes must stay valid until the next call of the callback, or until the
 * function with the source returns.
 *
 * @par Threading
 * The thread that calls the function with the source.
 */
typedef nalu_status (*nalu_chunk_frame_callback)(void *refcon, uint64_t index,
    nalu_chunk_frame *frame_out);

/**
 * The frames of a video: those of a file, or those that a callback returns. Start from
 * NALU_CHUNK_SOURCE_INIT. Every worker describes the same source in its own terms. A function uses
 * the source during its call only.
 */
typedef struct nalu_chunk_source {
    uint32_t struct_size;     /**< sizeof(nalu_chunk_source) */
    nalu_pixel_format format; /**< with frame: the format of the frames; 0 if it is not known */
    const char *name;         /**< the name in error messages. Default: NULL, "the source" */
    nalu_chunk_open_callback open;   /**< opens the file. Default: NULL, no file */
    nalu_chunk_frame_callback frame; /**< returns frames, if open is NULL */
    void *refcon;                    /**< passed to the callbacks */
    uint64_t frame_count;            /**< with frame: the number of frames, 1 or more */
    int32_t frame_rate_numerator;    /**< with frame: frames per second, above 0 */
    int32_t frame_rate_denominator;  /**< with frame: above 0 */
} nalu_chunk_source;

#define NALU_CHUNK_SOURCE_INIT \
    {(uint32_t)sizeof(nalu_chunk_source), 0, NULL, NULL, NULL, NULL, 0, 0, 0}

/** The places where a video is cut. */
enum {
    /**
     * At key frames of the source, so that workers decode no frames of other chunks; at equal
     * distances where key frames are too far apart.
     */
    NALU_CHUNK_CUT_KEY_FRAMES = 0,
    NALU_CHUNK_CUT_SCENES = 1, /**< at scene changes near equal distances */
    NALU_CHUNK_CUT_EQUAL = 2   /**< at equal distances */
};

/** The options of a plan. Start from NALU_CHUNK_PLAN_OPTIONS_INIT, and set bit_rate. */
typedef struct nalu_chunk_plan_options {
    uint32_t struct_size; /**< sizeof(nalu_chunk_plan_options) */
    int32_t cut;          /**< a NALU_CHUNK_CUT_ value */
    int64_t bit_rate;     /**< bits per second of the whole video, 1 or more */
    /**
     * The number of chunks, up to 100,000; fewer if the video has too few places to cut. Default:
     * 0, as chunk_duration demands.
     */
    uint32_t chunk_count;
    uint32_t property_count; /**< the number of properties */
    nalu_time chunk_duration; /**< Default: all zeros, 10 to 60 seconds */
    int32_t width, height;    /**< the size to which frames are scaled. Default: 0, the source's */
    const char *preset;       /**< see nalu_session_set_preset. Default: NULL, none */
    /**
     * Further properties of the sessions. They override the facts about the source: colour, pixel
     * aspect ratio, fields and bit depth.
     */
    const nalu_property *properties;
} nalu_chunk_plan_options;

#define NALU_CHUNK_PLAN_OPTIONS_INIT                                                              \
    {(uint32_t)sizeof(nalu_chunk_plan_options), 0, 0, 0, 0, {0, 0, 0, 0}, 0, 0, NULL, NULL}

/** Flags of nalu_chunk. */
enum {
    NALU_CHUNK_SCALES = 1u << 0 /**< frames of other sizes are scaled */
};

/**
 * A chunk: the frames from one cut to the next, and all data that a worker needs besides the
 * source. A worker on another machine gets a copy of all fields.
 */
typedef struct nalu_chunk {
    uint32_t struct_size;     /**< sizeof(nalu_chunk), set by the caller */
    uint32_t flags;           /**< NALU_CHUNK_ flags */
    uint32_t number;          /**< the index of the chunk, from 0 */
    uint32_t count;           /**< the number of all chunks */
    nalu_time begin;          /**< the first time of the chunk; all zeros for the first chunk */
    nalu_time end;            /**< the end, excluded; all zeros for the last chunk */
    double seconds;           /**< the approximate duration */
    int32_t width, height;    /**< the size of the encoded pictures */
    nalu_pixel_format format; /**< the format of the source's frames; 0 if it is not known */
    uint32_t limit_count;     /**< the count of limits: 0, 2 or 4 */
    double limits[4];         /**< DataRateLimits of the whole video */
    int64_t bit_rate;         /**< bits per second of the whole video */
    int64_t highest_rate;     /**< the highest rate of the level; 0 for any */
    const char *properties;   /**< the properties of the sessions as text; see properties.h */
} nalu_chunk;

/** A plan. Reference-counted and immutable; any thread may use it. */
typedef struct nalu_chunk_plan nalu_chunk_plan;

/**
 * Plans the chunks of a video. The same source and options result in the same plan.
 *
 * The call reads only the places of the cuts, and with NALU_CHUNK_CUT_SCENES the frames near them.
 * It fails for settings that a session refuses. An AutoLevel in ProfileLevel becomes the fixed
 * level that holds four times bit_rate, because all chunks need the same parameter sets.
 *
 * @return NALU_STATUS_OK, a common status (base.h), the status of a callback, those of
 *   nalu_session_set_properties and of nalu_reader_next_sample, or:
 * @retval NALU_STATUS_OUT_OF_RANGE bit_rate, cut, chunk_count or chunk_duration
 * @retval NALU_STATUS_CONFLICT chunk_count and chunk_duration are both set
 * @retval NALU_STATUS_INVALID_TIME chunk_duration is not above 0
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the file has no H.264 or H.265 video, or does not
 *   state its duration, as a raw stream
 * @retval NALU_STATUS_BAD_DATA no frame can be decoded
 * @par Threading
 * Waits for the source, and for a session that checks the settings. Inside a session's callback
 * that wait returns NALU_STATUS_WOULD_BLOCK (session.h, rule 8).
 * @par Ownership
 * plan_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_plan_create(const nalu_chunk_source *source,
    const nalu_chunk_plan_options *options, nalu_chunk_plan **plan_out);

/** Adds a reference, and returns plan. */
NALU_API nalu_chunk_plan *nalu_chunk_plan_retain(nalu_chunk_plan *plan);

/** Releases one reference. */
NALU_API void nalu_chunk_plan_release(nalu_chunk_plan *plan);

/** Returns the number of chunks, 1 or more; 0 for NULL. */
NALU_API size_t nalu_chunk_plan_get_chunk_count(const nalu_chunk_plan *plan);

/**
 * Describes a chunk. chunk_out->properties stays valid as long as the plan.
 *
 * @param chunk_out its struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE there is no chunk with this index
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_plan_get_chunk(const nalu_chunk_plan *plan,
    size_t index, nalu_chunk *chunk_out);

NALU_END_DECLS

#endif
