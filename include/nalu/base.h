/**
 * @file
 * Conventions of all headers, status codes, error messages, versions, codecs.
 *
 * HANDLES. Objects are opaque and reference-counted. A function with `create` or `copy` in its name
 * returns a reference that the caller owns (or fills the caller's buffer). A function with `get` in
 * its name returns a pointer that lives as long as the object it belongs to. `retain` adds a
 * reference and returns its argument; `release` releases one reference. Both accept NULL. An
 * out-parameter for a handle is set to NULL when the function fails.
 *
 * THREADS. Any function may be called from any thread, and returns without waiting for the work of
 * other threads, unless its comment has a paragraph "Threading" that states otherwise.
 *
 * STATUSES. A function that can fail returns a nalu_status. Its comment lists the statuses that are
 * particular to it. The common statuses are not repeated; every such function can return them:
 *
 * @retval NALU_STATUS_PARAMETER a required pointer is NULL, a flag is unknown, or struct_size is
 *   smaller than the first published size of the struct
 * @retval NALU_STATUS_INVALID_HANDLE the pointer is not an object of the expected kind
 * @retval NALU_STATUS_ALLOCATION_FAILED memory or a thread could not be allocated
 * @retval NALU_STATUS_UNSUPPORTED_OPTION a struct is larger than in this library, and a byte beyond
 *   the fields of this library is not zero
 * @retval NALU_STATUS_INVALID_SESSION the session has been invalidated
 *
 * Getters that return a value and no status return 0, NULL or the invalid time for NULL, for an
 * object of another kind, and for an index beyond the last.
 *
 * BUFFERS. A function that fills a caller's buffer takes `buffer`, `capacity` and an out-parameter
 * for the size, which it always sets to the size needed. With buffer NULL and capacity 0 it only
 * reports that size. When capacity is too small it writes nothing to the buffer and returns
 * NALU_STATUS_BUFFER_TOO_SMALL. Sizes of strings include the terminating NUL.
 *
 * STRUCTS that can grow begin with struct_size. The caller sets it to sizeof, or starts from the
 * INIT macro. docs/abi.md has the rules.
 *
 * MEMORY. A function returns NALU_STATUS_ALLOCATION_FAILED if there is no memory for a picture, for
 * an encoder or inside FFmpeg, or if no thread can be created. Handles, lists and other small
 * objects are allocated by the Swift runtime, which ends the process if an allocation fails.
 *
 * LOCALE. Numbers in text have a decimal point in every locale.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_BASE_H
#define NALU_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define NALU_BEGIN_DECLS extern "C" {
#define NALU_END_DECLS }
#else
#define NALU_BEGIN_DECLS
#define NALU_END_DECLS
#endif

#if defined(__GNUC__) || defined(__clang__)
#define NALU_API __attribute__((visibility("default")))
/** The compiler warns when the returned status is ignored. */
#define NALU_NODISCARD __attribute__((warn_unused_result))
#else
#define NALU_API
#define NALU_NODISCARD
#endif

NALU_BEGIN_DECLS

/* ---- Versions ------------------------------------------------------------------------------- */

/** The version of these headers. The build and the Swift module read it from these three lines. */
#define NALU_VERSION_MAJOR 0
#define NALU_VERSION_MINOR 1
#define NALU_VERSION_PATCH 0

/** Returns the version of the loaded library: major * 1000000 + minor * 1000 + patch. */
NALU_API uint32_t nalu_version(void);

/** Returns the version of the loaded library, for example "0.1.0". Static storage. */
NALU_API const char *nalu_version_string(void);

/* ---- Status --------------------------------------------------------------------------------- */

/**
 * The result of a function that can fail: 0 is success, negative values are failures, positive
 * values are reserved.
 *
 * A status that exists on Apple's platforms has the number it has there; the comment gives its
 * name. Nalu's own numbers lie between -17999 and -17900. The type is an integer and not an enum,
 * so that a number from a newer library is safe in an older program: treat an unknown negative
 * number as a failure.
 */
typedef int32_t nalu_status;

enum {
    NALU_STATUS_OK = 0,

    /** No pixel buffer or session accepts this pixel format. kCVReturnInvalidPixelFormat. */
    NALU_STATUS_INVALID_PIXEL_FORMAT = -6680,
    /** A width, height, stride or plane size is out of range. kCVReturnInvalidSize. */
    NALU_STATUS_INVALID_SIZE = -6681,

    /**
     * The multi-pass storage is closed, or its files cannot be read or written.
     * kVTMultiPassStorageInvalidErr.
     */
    NALU_STATUS_MULTI_PASS_STORAGE_INVALID = -12214,

    /** The object is valid and has no such value. kCMFormatDescriptionError_ValueNotAvailable. */
    NALU_STATUS_VALUE_NOT_AVAILABLE = -12718,

    /**
     * There is no property of that name, or the encoder cannot honour it.
     * kVTPropertyNotSupportedErr.
     */
    NALU_STATUS_PROPERTY_NOT_SUPPORTED = -12900,
    /** The property cannot be set. kVTPropertyReadOnlyErr. */
    NALU_STATUS_PROPERTY_READ_ONLY = -12901,
    /** An argument is NULL where it must not be, or otherwise wrong. kVTParameterErr. */
    NALU_STATUS_PARAMETER = -12902,
    /** The session has been invalidated. kVTInvalidSessionErr. */
    NALU_STATUS_INVALID_SESSION = -12903,
    /** Memory or a thread could not be allocated. kVTAllocationFailedErr. */
    NALU_STATUS_ALLOCATION_FAILED = -12904,
    /** The frame cannot be converted or scaled in this way. kVTPixelTransferNotSupportedErr. */
    NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED = -12905,
    /** There is no decoder for that codec. kVTCouldNotFindVideoDecoderErr. */
    NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER = -12906,
    /**
     * The encoder refused its parameters, or a library of FFmpeg cannot be loaded.
     * kVTCouldNotCreateInstanceErr.
     */
    NALU_STATUS_COULD_NOT_CREATE_INSTANCE = -12907,
    /**
     * There is no encoder for that codec or with that identifier.
     * kVTCouldNotFindVideoEncoderErr.
     */
    NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER = -12908,
    /** The bytes are not a valid bitstream of the expected kind. kVTVideoDecoderBadDataErr. */
    NALU_STATUS_BAD_DATA = -12909,
    /**
     * A valid bitstream of a kind that is not supported.
     * kVTVideoDecoderUnsupportedDataFormatErr.
     */
    NALU_STATUS_UNSUPPORTED_DATA_FORMAT = -12910,
    /** The decoder failed while decoding. kVTVideoDecoderMalfunctionErr. */
    NALU_STATUS_DECODER_MALFUNCTION = -12911,
    /** The encoder failed while encoding. kVTVideoEncoderMalfunctionErr. */
    NALU_STATUS_ENCODER_MALFUNCTION = -12912,

    /**
     * A picture refers to a picture that never arrived, was lost, or is corrupt.
     * kVTVideoDecoderReferenceMissingErr.
     */
    NALU_STATUS_REFERENCE_MISSING = -17694,

    /** The call would have to wait, and must not: inside a callback, or because of a flag. */
    NALU_STATUS_WOULD_BLOCK = -17900,
    /** The call would wait for the callback that it was made from. */
    NALU_STATUS_REENTRANT = -17901,
    /** The property has another type; see nalu_property_get_info. */
    NALU_STATUS_WRONG_TYPE = -17902,
    /** A number is outside its range, or a string is not one of the allowed values. */
    NALU_STATUS_OUT_OF_RANGE = -17903,
    /** The property cannot be changed after the encoder has been opened. */
    NALU_STATUS_TOO_LATE = -17904,
    /** The value contradicts another setting; the error message names both. */
    NALU_STATUS_CONFLICT = -17905,
    /** The pointer is not an object of the kind that the function takes. */
    NALU_STATUS_INVALID_HANDLE = -17906,
    /** A time is invalid, not numeric, or not greater than the one before it. */
    NALU_STATUS_INVALID_TIME = -17907,
    /** The caller's buffer is too small; the size needed has been written. */
    NALU_STATUS_BUFFER_TOO_SMALL = -17908,
    /** A struct from a newer header sets a field that this library does not have. */
    NALU_STATUS_UNSUPPORTED_OPTION = -17909,
    /**
     * The function is called too early or too late; the error message states what must come
     * first.
     */
    NALU_STATUS_OUT_OF_ORDER = -17910,
    /**
     * A file, socket or callback could not be opened, read or written; the error message has the
     * system's reason.
     */
    NALU_STATUS_INPUT_OUTPUT = -17911,
    /** The operation was cancelled from another thread. */
    NALU_STATUS_CANCELLED = -17912
};

/** Receives the refcon of a callback once, after the last call of that callback. */
typedef void (*nalu_refcon_destructor)(void *refcon);

/**
 * Returns the name of a status without its prefix, for example "OUT_OF_RANGE"; "UNKNOWN" for a
 * number that is not in the list. Never NULL. Static storage.
 */
NALU_API const char *nalu_status_string(nalu_status status);

/* ---- Error messages ------------------------------------------------------------------------- */

/**
 * Returns the error message of the last failure of a Nalu function on the calling thread. The
 * message names the argument, its value and what was expected. "" if no call has failed on this
 * thread yet.
 *
 * A call that succeeds does not clear the message, so read it right after a failure. The pointer is
 * never NULL and is valid until the next failing call on the same thread. Failures during encoding
 * or decoding are reported to the output callback as a status. Their messages are returned by
 * nalu_compression_session_copy_last_error and nalu_decompression_session_copy_last_error.
 */
NALU_API const char *nalu_last_error_message(void);

/**
 * Sets the message that nalu_last_error_message returns on the calling thread. For libraries that
 * use libnalu; programs do not need it.
 *
 * @param message copied; NULL means "".
 */
NALU_API void nalu_set_last_error_message(const char *message);

/* ---- Codecs --------------------------------------------------------------------------------- */

/** A four-character code of CoreMedia and CoreVideo; the first character is the highest byte. */
typedef uint32_t nalu_four_char_code;

/** The code of four characters, the first one highest: NALU_FOURCC('a', 'v', 'c', '1'). */
#define NALU_FOURCC(a, b, c, d) \
    (((nalu_four_char_code)(uint8_t)(a) << 24) | ((nalu_four_char_code)(uint8_t)(b) << 16) | \
     ((nalu_four_char_code)(uint8_t)(c) << 8) | (nalu_four_char_code)(uint8_t)(d))

/** H.264 with length-prefixed NAL units. kCMVideoCodecType_H264. */
#define NALU_CODEC_H264 ((nalu_four_char_code)0x61766331u) /**< 'avc1' */

/**
 * H.265 with length-prefixed NAL units. Its encoder is libx265, which is loaded when the first
 * session asks for this codec. kCMVideoCodecType_HEVC.
 */
#define NALU_CODEC_HEVC ((nalu_four_char_code)0x68766331u) /**< 'hvc1' */

/** AAC-LC, from an audio encoder (nalu/media/audio_encoder.h). kAudioFormatMPEG4AAC. */
#define NALU_CODEC_AAC ((nalu_four_char_code)0x61616320u) /**< 'aac ' */

NALU_END_DECLS

#endif
