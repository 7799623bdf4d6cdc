/*
 * nalu/base.h - status codes, error sentences, versions and export marks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
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
/* The compiler warns when a status is thrown away. */
#define NALU_NODISCARD __attribute__((warn_unused_result))
#else
#define NALU_API
#define NALU_NODISCARD
#endif

NALU_BEGIN_DECLS

/* ---- Versions ----------------------------------------------------------
 *
 * The version of these headers. The C ABI is stable within one soname
 * (libnalu.so.0): functions and constants are only ever added. CMakeLists.txt
 * and the Swift module read the version from these three lines.
 */
#define NALU_VERSION_MAJOR 0
#define NALU_VERSION_MINOR 1
#define NALU_VERSION_PATCH 0

/* The version of the loaded library, as major * 1000000 + minor * 1000 + patch. */
NALU_API uint32_t nalu_version(void);

/* The version of the loaded library, for example "0.1.0". Static storage. */
NALU_API const char *nalu_version_string(void);

/* ---- Status ------------------------------------------------------------
 *
 * Every function that can fail returns a nalu_status: 0 is success, negative
 * values are failures, positive values are reserved. Numbers are append-only.
 * A status whose meaning exists on Apple's platforms carries the number it has
 * there (VTErrors.h, CVReturn.h, CMFormatDescription.h); Nalu's own lie between
 * -17999 and -17900.
 *
 * The type is a plain integer, not an enum, so that a value from a newer
 * library is safe in an older program.
 */
typedef int32_t nalu_status;

enum {
    NALU_STATUS_OK = 0,

    /* A pixel format that no pixel buffer or session takes. kCVReturnInvalidPixelFormat. */
    NALU_STATUS_INVALID_PIXEL_FORMAT = -6680,
    /* A width, height, stride or plane size out of range. kCVReturnInvalidSize. */
    NALU_STATUS_INVALID_SIZE = -6681,

    /* The object is sound but holds no such value. kCMFormatDescriptionError_ValueNotAvailable. */
    NALU_STATUS_VALUE_NOT_AVAILABLE = -12718,

    /* No property of that name, or the encoder cannot honour it. kVTPropertyNotSupportedErr. */
    NALU_STATUS_PROPERTY_NOT_SUPPORTED = -12900,
    /* The property can be read only. kVTPropertyReadOnlyErr. */
    NALU_STATUS_PROPERTY_READ_ONLY = -12901,
    /* An argument is NULL where it must not be, or otherwise wrong. kVTParameterErr. */
    NALU_STATUS_PARAMETER = -12902,
    /* The session has been invalidated. kVTInvalidSessionErr. */
    NALU_STATUS_INVALID_SESSION = -12903,
    /* Memory or a thread could not be had. kVTAllocationFailedErr. */
    NALU_STATUS_ALLOCATION_FAILED = -12904,
    /* The frame cannot be converted or scaled as the session demands. kVTPixelTransferNotSupportedErr. */
    NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED = -12905,
    /* The encoder refused its parameters. kVTCouldNotCreateInstanceErr. */
    NALU_STATUS_COULD_NOT_CREATE_INSTANCE = -12907,
    /* No encoder for that codec or of that identifier. kVTCouldNotFindVideoEncoderErr. */
    NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER = -12908,
    /* Bytes that are not the bitstream they were said to be. kVTVideoDecoderBadDataErr. */
    NALU_STATUS_BAD_DATA = -12909,
    /* A well-formed bitstream of a kind that is not read here. kVTVideoDecoderUnsupportedDataFormatErr. */
    NALU_STATUS_UNSUPPORTED_DATA_FORMAT = -12910,
    /* The encoder failed while encoding. kVTVideoEncoderMalfunctionErr. */
    NALU_STATUS_ENCODER_MALFUNCTION = -12912,

    /* Too many frames are pending and the frame asked not to wait. */
    NALU_STATUS_WOULD_BLOCK = -17900,
    /* The call would wait for the callback that it was made from. */
    NALU_STATUS_REENTRANT = -17901,
    /* The property is of another type; see nalu_property_get_info. */
    NALU_STATUS_WRONG_TYPE = -17902,
    /* A number outside its range, or a string outside the list of allowed values. */
    NALU_STATUS_OUT_OF_RANGE = -17903,
    /* The property cannot be changed once the encoder runs. */
    NALU_STATUS_TOO_LATE = -17904,
    /* The value contradicts another property that is set; the sentence names both. */
    NALU_STATUS_CONFLICT = -17905,
    /* The pointer is not an object of the kind that the function takes. */
    NALU_STATUS_INVALID_HANDLE = -17906,
    /* A time that is invalid, not numeric, or not greater than the one before it. */
    NALU_STATUS_INVALID_TIME = -17907,
    /* The caller's buffer is too small; the size needed has been written. */
    NALU_STATUS_BUFFER_TOO_SMALL = -17908,
    /* A struct from a newer header carries a non-zero field that this library does not know. */
    NALU_STATUS_UNSUPPORTED_OPTION = -17909,
    /* A multi-pass storage that is closed, or whose files cannot be read or written. kVTMultiPassStorageInvalidErr. */
    NALU_STATUS_MULTI_PASS_STORAGE_INVALID = -12214,
    /* The function is called before or after its turn; the sentence says which call comes first. */
    NALU_STATUS_OUT_OF_ORDER = -17910,
    /* A file, socket or callback cannot be opened, read or written; the sentence has the system's reason. */
    NALU_STATUS_INPUT_OUTPUT = -17911,
    /* No decoder for that codec. kVTCouldNotFindVideoDecoderErr. */
    NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER = -12906,
    /* The decoder failed while decoding. kVTVideoDecoderMalfunctionErr. */
    NALU_STATUS_DECODER_MALFUNCTION = -12911,
    /* A picture refers to one that was never given, was lost, or is damaged. kVTVideoDecoderReferenceMissingErr. */
    NALU_STATUS_REFERENCE_MISSING = -17694,
    /* The work was cancelled from another thread. */
    NALU_STATUS_CANCELLED = -17912
};

/*
 * The name of a status without its prefix, for example "OUT_OF_RANGE"; "UNKNOWN" for a number
 * that is not in the list. Never NULL. Static storage.
 */
NALU_API const char *nalu_status_string(nalu_status status);

/*
 * One sentence about the last failure of a Nalu function on the calling thread: which argument,
 * which value, what was expected. "" when no call has failed on this thread yet. A call that
 * succeeds does not clear it, so read it right after a failure.
 *
 * The pointer is never NULL and stays valid until the next failing call on the same thread.
 * Failures that happen later, while encoding, reach the output callback as a status; their
 * sentence is at nalu_compression_session_copy_last_error.
 */
NALU_API const char *nalu_last_error_message(void);

/*
 * Sets the sentence that nalu_last_error_message gives on the calling thread. For companion libraries,
 * such as libnalumedia, so that one function tells the last error of all of them; programs have no need
 * of it. The text is copied; NULL sets "".
 */
NALU_API void nalu_set_last_error_message(const char *message);

/* ---- Four-character codes ---------------------------------------------- */

/* A four-character code as CoreMedia and CoreVideo write it: 'a' is the highest byte. */
typedef uint32_t nalu_four_char_code;

#define NALU_FOURCC(a, b, c, d) \
    (((nalu_four_char_code)(uint8_t)(a) << 24) | ((nalu_four_char_code)(uint8_t)(b) << 16) | \
     ((nalu_four_char_code)(uint8_t)(c) << 8) | (nalu_four_char_code)(uint8_t)(d))

/* H.264 in length-prefixed form. kCMVideoCodecType_H264. */
#define NALU_CODEC_H264 ((nalu_four_char_code)0x61766331u) /* 'avc1' */

/* H.265 in length-prefixed form: for format descriptions, samples and stream parsers; there is no encoder for it.
 * kCMVideoCodecType_HEVC. */
#define NALU_CODEC_HEVC ((nalu_four_char_code)0x68766331u) /* 'hvc1' */

NALU_END_DECLS

#endif
