/**
 * @file
 * Uncompressed frames: pixel formats, buffers, pools, conversion.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_PIXEL_BUFFER_H
#define NALU_PIXEL_BUFFER_H

#include "base.h"

NALU_BEGIN_DECLS

/* ---- Pixel formats -------------------------------------------------------------------------- */

/**
 * A pixel format, with CoreVideo's code.
 *
 * The comments list the bytes in memory order. Chroma planes of 4:2:0 formats have (width + 1) / 2
 * columns and (height + 1) / 2 rows, so odd sizes work; those of 4:2:2 have (width + 1) / 2 columns
 * and height rows. Video range is Y 16 to 235 and chroma 16 to 240; full range is 0 to 255 for all
 * components.
 */
typedef nalu_four_char_code nalu_pixel_format;

/** 4:2:0, two planes: Y; Cb and Cr interleaved (NV12). Video range. */
#define NALU_PIXEL_FORMAT_420V ((nalu_pixel_format)0x34323076u) /**< '420v' */
/** The same in full range. */
#define NALU_PIXEL_FORMAT_420F ((nalu_pixel_format)0x34323066u) /**< '420f' */
/** 4:2:0, three planes: Y; Cb; Cr (I420). Video range. */
#define NALU_PIXEL_FORMAT_Y420 ((nalu_pixel_format)0x79343230u) /**< 'y420' */
/** The same in full range. */
#define NALU_PIXEL_FORMAT_F420 ((nalu_pixel_format)0x66343230u) /**< 'f420' */
/** RGB of 8 bits, one plane, full range. Alpha is not encoded. */
#define NALU_PIXEL_FORMAT_BGRA ((nalu_pixel_format)0x42475241u) /**< 'BGRA' */
#define NALU_PIXEL_FORMAT_RGBA ((nalu_pixel_format)0x52474241u) /**< 'RGBA' */
#define NALU_PIXEL_FORMAT_ARGB ((nalu_pixel_format)0x00000020u) /**< 32 */
#define NALU_PIXEL_FORMAT_ABGR ((nalu_pixel_format)0x41424752u) /**< 'ABGR' */
#define NALU_PIXEL_FORMAT_24RGB ((nalu_pixel_format)0x00000018u) /**< 24: R G B */
#define NALU_PIXEL_FORMAT_24BGR ((nalu_pixel_format)0x32344247u) /**< '24BG': B G R */
/** 4:2:2, one plane: Cb Y Cr Y (UYVY). Video range. An odd width has a whole last pair. */
#define NALU_PIXEL_FORMAT_2VUY ((nalu_pixel_format)0x32767579u) /**< '2vuy' */
/** 4:2:2, one plane: Y Cb Y Cr (YUY2). Video range. An odd width has a whole last pair. */
#define NALU_PIXEL_FORMAT_YUVS ((nalu_pixel_format)0x79757673u) /**< 'yuvs' */
/** Luma of 8 bits only, full range: 0 is black, 255 is white. */
#define NALU_PIXEL_FORMAT_L008 ((nalu_pixel_format)0x4c303038u) /**< 'L008' */
/**
 * The layout of '420v' with 10 bits (P010). Video range: Y 64 to 940, chroma 64 to 960.
 *
 * Each component is a 16-bit word in the machine's byte order, with the value in the highest 10
 * bits. The other 6 bits are ignored when Nalu reads, and 0 when Nalu writes. Plane addresses and
 * strides are even.
 */
#define NALU_PIXEL_FORMAT_X420 ((nalu_pixel_format)0x78343230u) /**< 'x420' */
/** The same in full range: 0 to 1023. */
#define NALU_PIXEL_FORMAT_XF20 ((nalu_pixel_format)0x78663230u) /**< 'xf20' */
/** 4:2:2, two planes: Y; Cb and Cr interleaved (NV16). Video range. */
#define NALU_PIXEL_FORMAT_422V ((nalu_pixel_format)0x34323276u) /**< '422v' */
/** The same in full range. */
#define NALU_PIXEL_FORMAT_422F ((nalu_pixel_format)0x34323266u) /**< '422f' */
/** 4:4:4, two planes: Y; Cb and Cr interleaved (NV24). Video range. */
#define NALU_PIXEL_FORMAT_444V ((nalu_pixel_format)0x34343476u) /**< '444v' */
/** The same in full range. */
#define NALU_PIXEL_FORMAT_444F ((nalu_pixel_format)0x34343466u) /**< '444f' */
/**
 * The layouts of '422v', '422f', '444v' and '444f' with 10 bits in 16-bit words, like 'x420' (P210,
 * P410).
 */
#define NALU_PIXEL_FORMAT_X422 ((nalu_pixel_format)0x78343232u) /**< 'x422' */
#define NALU_PIXEL_FORMAT_XF22 ((nalu_pixel_format)0x78663232u) /**< 'xf22' */
#define NALU_PIXEL_FORMAT_X444 ((nalu_pixel_format)0x78343434u) /**< 'x444' */
#define NALU_PIXEL_FORMAT_XF44 ((nalu_pixel_format)0x78663434u) /**< 'xf44' */
/**
 * 4:2:0, 4:2:2 and 4:4:4 with 16 bits, two planes: Y; Cb and Cr interleaved (P016, P216, P416).
 *
 * Each component is a 16-bit word in the machine's byte order, at an even address. Video range
 * ('sv..'): Y 4096 to 60160, chroma 4096 to 61440. Full range ('sf..'): 0 to 65535. The decoder
 * uses these formats for 12 and 14 bits. The value is in the highest bits; the other bits are 0.
 * CoreVideo has 'sv22' and 'sv44'; the other four codes are Nalu's own.
 */
#define NALU_PIXEL_FORMAT_SV20 ((nalu_pixel_format)0x73763230u) /**< 'sv20' */
#define NALU_PIXEL_FORMAT_SF20 ((nalu_pixel_format)0x73663230u) /**< 'sf20' */
#define NALU_PIXEL_FORMAT_SV22 ((nalu_pixel_format)0x73763232u) /**< 'sv22' */
#define NALU_PIXEL_FORMAT_SF22 ((nalu_pixel_format)0x73663232u) /**< 'sf22' */
#define NALU_PIXEL_FORMAT_SV44 ((nalu_pixel_format)0x73763434u) /**< 'sv44' */
#define NALU_PIXEL_FORMAT_SF44 ((nalu_pixel_format)0x73663434u) /**< 'sf44' */

/* ---- Pixel buffers -------------------------------------------------------------------------- */

/**
 * An uncompressed frame. Reference-counted.
 *
 * Any thread may retain, release and read it. A thread that writes the pixels must make sure that
 * no other thread reads them at that time.
 */
typedef struct nalu_pixel_buffer nalu_pixel_buffer;

/** The largest width and height of a pixel buffer and of a session, in pixels. */
#define NALU_MAX_DIMENSION 16384

/** The largest number of planes of a pixel buffer. */
#define NALU_MAX_PLANES 3

/**
 * Receives release_refcon once, when the last reference to a wrapping pixel buffer is gone and the
 * library no longer reads the planes.
 *
 * @par Threading
 * Any thread.
 */
typedef void (*nalu_pixel_buffer_release_callback)(void *release_refcon);

/**
 * Creates a buffer and allocates its memory. Planes are aligned to 64 bytes; pixels are undefined.
 *
 * @param width,height 1 to NALU_MAX_DIMENSION pixels.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INVALID_SIZE width or height
 * @retval NALU_STATUS_INVALID_PIXEL_FORMAT unknown format
 * @par Ownership
 * buffer_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_create(int32_t width, int32_t height,
    nalu_pixel_format format, nalu_pixel_buffer **buffer_out);

/**
 * Creates a buffer that wraps the caller's planes without copying them.
 *
 * @param width,height 1 to NALU_MAX_DIMENSION pixels.
 * @param plane_count 1, 2 or 3, as the format demands.
 * @param planes pointers to the first row of each plane; even addresses for 16-bit words.
 * @param strides bytes from one row to the next, at least the bytes of a row; even for 16-bit
 *   words.
 * @param plane_sizes NULL, or the bytes that each plane holds, which are checked.
 * @param release_callback,release_refcon NULL, or called when the planes are no longer needed.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER plane_count, or an odd address where it must be even
 * @retval NALU_STATUS_INVALID_SIZE width, height, a stride or a plane size
 * @retval NALU_STATUS_INVALID_PIXEL_FORMAT unknown format
 * @par Ownership
 * buffer_out receives one reference. The planes must stay in place and unchanged until
 * release_callback is called; without a callback, until the last reference is gone. On failure the
 * callback is not called; the caller keeps the planes.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_create_with_planes(int32_t width,
    int32_t height, nalu_pixel_format format, uint32_t plane_count, const void *const *planes,
    const int64_t *strides, const uint64_t *plane_sizes,
    nalu_pixel_buffer_release_callback release_callback, void *release_refcon,
    nalu_pixel_buffer **buffer_out);

/** Adds a reference, and returns buffer. */
NALU_API nalu_pixel_buffer *nalu_pixel_buffer_retain(nalu_pixel_buffer *buffer);

/** Releases one reference. */
NALU_API void nalu_pixel_buffer_release(nalu_pixel_buffer *buffer);

/** @{ */
/**
 * Return the size, format, strides and addresses of a buffer and of its planes. Sizes are in pixels
 * (of a chroma plane in chroma samples), strides in bytes. The base address of a wrapping buffer is
 * the caller's own pointer.
 */
NALU_API int32_t nalu_pixel_buffer_get_width(const nalu_pixel_buffer *buffer);
NALU_API int32_t nalu_pixel_buffer_get_height(const nalu_pixel_buffer *buffer);
NALU_API nalu_pixel_format nalu_pixel_buffer_get_pixel_format(const nalu_pixel_buffer *buffer);
NALU_API uint32_t nalu_pixel_buffer_get_plane_count(const nalu_pixel_buffer *buffer);
NALU_API int32_t nalu_pixel_buffer_get_plane_width(const nalu_pixel_buffer *buffer,
    uint32_t plane);
NALU_API int32_t nalu_pixel_buffer_get_plane_height(const nalu_pixel_buffer *buffer,
    uint32_t plane);
NALU_API int64_t nalu_pixel_buffer_get_plane_stride(const nalu_pixel_buffer *buffer,
    uint32_t plane);
NALU_API void *nalu_pixel_buffer_get_plane_base_address(const nalu_pixel_buffer *buffer,
    uint32_t plane);
/** @} */

/* ---- Pools ---------------------------------------------------------------------------------- */

/**
 * A source of buffers of one size and format. Reference-counted. The pool reuses a buffer's memory
 * when the buffer's last reference is gone. It may be released before its buffers.
 */
typedef struct nalu_pixel_buffer_pool nalu_pixel_buffer_pool;

/**
 * Creates a pool.
 *
 * @param width,height,format see nalu_pixel_buffer_create.
 * @param maximum_buffer_count the largest number of buffers in use at a time, 1 to 4096; 0 means no
 *   limit.
 * @return the statuses of nalu_pixel_buffer_create, or:
 * @retval NALU_STATUS_OUT_OF_RANGE maximum_buffer_count
 * @par Ownership
 * pool_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_pool_create(int32_t width, int32_t height,
    nalu_pixel_format format, uint32_t maximum_buffer_count, nalu_pixel_buffer_pool **pool_out);

/**
 * Returns a buffer of a pool. Its pixels are undefined.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_WOULD_BLOCK maximum_buffer_count buffers are in use
 * @par Ownership
 * buffer_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_pool_create_pixel_buffer(
    nalu_pixel_buffer_pool *pool, nalu_pixel_buffer **buffer_out);

/** Adds a reference, and returns pool. */
NALU_API nalu_pixel_buffer_pool *nalu_pixel_buffer_pool_retain(nalu_pixel_buffer_pool *pool);

/** Releases one reference. */
NALU_API void nalu_pixel_buffer_pool_release(nalu_pixel_buffer_pool *pool);

/* ---- Conversion ----------------------------------------------------------------------------- */

/** The coefficients between RGB and YCbCr. */
enum {
    /** BT.709 if the destination has 720 lines or more, else BT.601. */
    NALU_MATRIX_AUTOMATIC = 0,
    NALU_MATRIX_ITU_R_709_2 = 1,    /**< ITU-R BT.709-6: Kr 0.2126, Kb 0.0722 */
    NALU_MATRIX_ITU_R_601_4 = 2,    /**< ITU-R BT.601-7: Kr 0.299, Kb 0.114 */
    NALU_MATRIX_ITU_R_2020 = 3,     /**< ITU-R BT.2020-2, non-constant: Kr 0.2627, Kb 0.0593 */
    NALU_MATRIX_SMPTE_240M_1995 = 4 /**< SMPTE ST 240: Kr 0.212, Kb 0.087 */
};

/**
 * Converts source into destination, and scales the image if the sizes differ. Sessions convert
 * frames in the same way.
 *
 * RGB becomes YCbCr in the destination's range, each value within 1 of the exact arithmetic. YCbCr
 * keeps its matrix; its range changes if the formats differ in range. A chroma sample is the
 * average of its four pixels and lies in their middle (chroma_sample_loc_type 1 of ITU-T H.264);
 * for a 4:2:2 source it is the average of two rows. A box or bilinear filter scales the entire
 * frame. docs/pixel-formats.md describes the conversion between bit depths.
 *
 * @param destination '420v', '420f', 'y420', 'f420', 'x420' or 'xf20'.
 * @param matrix NALU_MATRIX_..., used for RGB sources.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED the destination has another format
 * @retval NALU_STATUS_OUT_OF_RANGE matrix
 * @par Threading
 * During the call no other thread may write to source or use the pixels of destination.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_transfer_image(const nalu_pixel_buffer *source,
    nalu_pixel_buffer *destination, int32_t matrix);

NALU_END_DECLS

#endif
