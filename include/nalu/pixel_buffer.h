/*
 * nalu/pixel_buffer.h - uncompressed frames: buffers, pools, conversion.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_PIXEL_BUFFER_H
#define NALU_PIXEL_BUFFER_H

#include "base.h"

NALU_BEGIN_DECLS

/* ---- Pixel formats ------------------------------------------------------
 *
 * CoreVideo's codes. Bytes are named in memory order. Chroma planes of 4:2:0 formats are
 * (width + 1) / 2 by (height + 1) / 2, so odd sizes work.
 */
typedef nalu_four_char_code nalu_pixel_format;

/* 4:2:0, two planes: Y, then CbCr interleaved (NV12). Video range: Y 16-235, chroma 16-240. */
#define NALU_PIXEL_FORMAT_420V ((nalu_pixel_format)0x34323076u) /* '420v' */
/* The same in full range: all components 0-255. */
#define NALU_PIXEL_FORMAT_420F ((nalu_pixel_format)0x34323066u) /* '420f' */
/* 4:2:0, three planes Y, Cb, Cr (I420). Video range. */
#define NALU_PIXEL_FORMAT_Y420 ((nalu_pixel_format)0x79343230u) /* 'y420' */
/* The same in full range. */
#define NALU_PIXEL_FORMAT_F420 ((nalu_pixel_format)0x66343230u) /* 'f420' */
/* 8 bit RGB, full range, one plane. The alpha byte is not encoded. */
#define NALU_PIXEL_FORMAT_BGRA ((nalu_pixel_format)0x42475241u) /* 'BGRA' */
#define NALU_PIXEL_FORMAT_RGBA ((nalu_pixel_format)0x52474241u) /* 'RGBA' */
#define NALU_PIXEL_FORMAT_ARGB ((nalu_pixel_format)0x00000020u) /* 32 */
#define NALU_PIXEL_FORMAT_ABGR ((nalu_pixel_format)0x41424752u) /* 'ABGR' */
#define NALU_PIXEL_FORMAT_24RGB ((nalu_pixel_format)0x00000018u) /* 24: R G B */
#define NALU_PIXEL_FORMAT_24BGR ((nalu_pixel_format)0x32344247u) /* '24BG': B G R */
/* 4:2:2, one plane, video range: Cb Y Cr Y (UYVY). Odd widths hold a whole last pair. */
#define NALU_PIXEL_FORMAT_2VUY ((nalu_pixel_format)0x32767579u) /* '2vuy' */
/* 4:2:2, one plane, video range: Y Cb Y Cr (YUY2). */
#define NALU_PIXEL_FORMAT_YUVS ((nalu_pixel_format)0x79757673u) /* 'yuvs' */
/* 8 bit luma alone, full range (0 black, 255 white). */
#define NALU_PIXEL_FORMAT_L008 ((nalu_pixel_format)0x4c303038u) /* 'L008' */
/*
 * As '420v', 10 bits a sample, video range: Y 64-940, chroma 64-960. A sample is a 16-bit word of the
 * machine's byte order whose highest 10 bits hold it (P010); the other 6 are not looked at, and 0 where
 * Nalu writes them. Planes and rows begin at even addresses: a stride is an even number of bytes.
 */
#define NALU_PIXEL_FORMAT_X420 ((nalu_pixel_format)0x78343230u) /* 'x420' */
/* The same in full range: all components 0-1023. */
#define NALU_PIXEL_FORMAT_XF20 ((nalu_pixel_format)0x78663230u) /* 'xf20' */

/* ---- Pixel buffers ------------------------------------------------------
 *
 * A reference-counted frame. Any thread may retain, release and read it; who writes its pixels
 * must see to it that nobody reads them at that time.
 *
 * Ownership, here and in every Nalu header: a function with `create` or `copy` in its name gives
 * the caller a reference, to be given back with the matching release; a function with `get` lends
 * a pointer that lives as long as the object that it was asked of. `retain` returns its argument;
 * retain and release take NULL.
 */
typedef struct nalu_pixel_buffer nalu_pixel_buffer;

/* The largest width and height of a pixel buffer and of a session. */
#define NALU_MAX_DIMENSION 16384

/* The most planes that a pixel buffer has. */
#define NALU_MAX_PLANES 3

/*
 * Called once, when the last reference to a wrapping pixel buffer is gone and the library will not
 * read the planes again; from any thread.
 */
typedef void (*nalu_pixel_buffer_release_callback)(void *release_refcon);

/*
 * A new buffer with memory of its own: planes aligned to 64 bytes, pixels undefined.
 *
 * width, height: 1 to NALU_MAX_DIMENSION pixels. buffer_out: not NULL; receives the buffer with
 * one reference, or NULL on failure.
 *
 * NALU_STATUS_PARAMETER: buffer_out is NULL. _INVALID_SIZE: width or height is out of range.
 * _INVALID_PIXEL_FORMAT: unknown format. _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_create(int32_t width, int32_t height,
    nalu_pixel_format format, nalu_pixel_buffer **buffer_out);

/*
 * Wraps the caller's planes without copying them. They must stay in place and unchanged until
 * release_callback is called with release_refcon; when release_callback is NULL, until the last
 * reference is gone.
 *
 * plane_count: 1, 2 or 3 as the format demands. planes: that many pointers to the first row.
 * strides: bytes from one row to the next, positive, at least the bytes of a row; in 'x420' and 'xf20' they
 * and the pointers are even.
 * plane_sizes: bytes that each plane holds, checked against strides and height; NULL: not checked.
 *
 * On success the buffer owns the right to call release_callback; on failure it is not called and
 * the caller keeps the planes.
 *
 * _PARAMETER: a NULL argument, an odd pointer where it must be even, or a wrong plane_count.
 * _INVALID_SIZE: width, height, a stride or a plane size is out of range. _INVALID_PIXEL_FORMAT.
 * _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_create_with_planes(int32_t width, int32_t height,
    nalu_pixel_format format, uint32_t plane_count, const void *const *planes, const int64_t *strides,
    const uint64_t *plane_sizes, nalu_pixel_buffer_release_callback release_callback,
    void *release_refcon, nalu_pixel_buffer **buffer_out);

/* Returns `buffer`. */
NALU_API nalu_pixel_buffer *nalu_pixel_buffer_retain(nalu_pixel_buffer *buffer);
NALU_API void nalu_pixel_buffer_release(nalu_pixel_buffer *buffer);

/* Getters return 0 or NULL for NULL, for a pointer that is no pixel buffer, and for a plane that
 * is not there. Widths and heights are in pixels (for a chroma plane: chroma samples), strides in
 * bytes. The base address of a wrapping buffer is the caller's own pointer. */
NALU_API int32_t nalu_pixel_buffer_get_width(const nalu_pixel_buffer *buffer);
NALU_API int32_t nalu_pixel_buffer_get_height(const nalu_pixel_buffer *buffer);
NALU_API nalu_pixel_format nalu_pixel_buffer_get_pixel_format(const nalu_pixel_buffer *buffer);
NALU_API uint32_t nalu_pixel_buffer_get_plane_count(const nalu_pixel_buffer *buffer);
NALU_API int32_t nalu_pixel_buffer_get_plane_width(const nalu_pixel_buffer *buffer, uint32_t plane);
NALU_API int32_t nalu_pixel_buffer_get_plane_height(const nalu_pixel_buffer *buffer, uint32_t plane);
NALU_API int64_t nalu_pixel_buffer_get_plane_stride(const nalu_pixel_buffer *buffer, uint32_t plane);
NALU_API void *nalu_pixel_buffer_get_plane_base_address(const nalu_pixel_buffer *buffer, uint32_t plane);

/* ---- Pools --------------------------------------------------------------
 *
 * A pool hands out buffers of one size and format and takes their memory back when their last
 * reference is gone. Any thread may use it; it may be released before its buffers are.
 */
typedef struct nalu_pixel_buffer_pool nalu_pixel_buffer_pool;

/*
 * maximum_buffer_count: the most buffers that may be alive at a time, 1 to 4096; 0: no limit.
 *
 * Fails as nalu_pixel_buffer_create does; _OUT_OF_RANGE: maximum_buffer_count.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_pool_create(int32_t width, int32_t height,
    nalu_pixel_format format, uint32_t maximum_buffer_count, nalu_pixel_buffer_pool **pool_out);

/*
 * A buffer from the pool, with one reference; its pixels are undefined.
 *
 * _WOULD_BLOCK: maximum_buffer_count buffers are alive. _PARAMETER, _INVALID_HANDLE,
 * _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_buffer_pool_create_pixel_buffer(nalu_pixel_buffer_pool *pool,
    nalu_pixel_buffer **buffer_out);

NALU_API nalu_pixel_buffer_pool *nalu_pixel_buffer_pool_retain(nalu_pixel_buffer_pool *pool);
NALU_API void nalu_pixel_buffer_pool_release(nalu_pixel_buffer_pool *pool);

/* ---- Conversion ----------------------------------------------------------
 *
 * The conversion that a session applies to what it is given, on its own.
 */

/* Values of the matrix argument. NALU_MATRIX_AUTOMATIC: BT.709 from 720 lines on, BT.601 below,
 * judged by the destination's height. */
enum {
    NALU_MATRIX_AUTOMATIC = 0,
    NALU_MATRIX_ITU_R_709_2 = 1,  /* ITU-R BT.709-6: Kr 0.2126, Kb 0.0722 */
    NALU_MATRIX_ITU_R_601_4 = 2,  /* ITU-R BT.601-7: Kr 0.299, Kb 0.114 */
    NALU_MATRIX_ITU_R_2020 = 3,   /* ITU-R BT.2020-2 non-constant luminance: Kr 0.2627, Kb 0.0593 */
    NALU_MATRIX_SMPTE_240M_1995 = 4 /* SMPTE ST 240: Kr 0.212, Kb 0.087 */
};

/*
 * Converts and, when the sizes differ, scales source into destination, which must be one of
 * '420v', '420f', 'y420', 'f420', 'x420' or 'xf20'. RGB becomes YCbCr with the given matrix in the destination's
 * range; each converted value is within 1 of the exact arithmetic. Sources that are YCbCr already
 * keep their matrix and change range where the formats demand it. A chroma sample is the average of
 * its four pixels and sits in their middle (chroma_sample_loc_type 1 of ITU-T H.264, which the stream
 * of a session says whose first frame is RGB). Scaling filters (box or
 * bilinear) over the whole frame, without letterboxing.
 *
 * 8 bits become 10 exactly: in video range four times the value, in full range 255 becomes 1023. 10 bits are
 * rounded to 8, halves to the even neighbour, which makes a picture neither brighter nor darker. RGB and 4:2:2
 * become 4:2:0 in 8 bits also where the destination has 10, and frames of 8 bits are scaled in 8; frames of 10
 * bits are scaled in 10.
 *
 * _PARAMETER, _INVALID_HANDLE; _PIXEL_TRANSFER_NOT_SUPPORTED: the destination's format;
 * _OUT_OF_RANGE: matrix; _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_pixel_transfer_image(const nalu_pixel_buffer *source,
    nalu_pixel_buffer *destination, int32_t matrix);

NALU_END_DECLS

#endif
