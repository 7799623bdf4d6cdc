#include <VideoToolbox/VTPixelRotationSession.h>

#include "../../CoreVideo/buffer.h"
#include "../../Support/constant.h"
#include "pixel_session.h"

NALU_CONSTANT(kVTPixelRotationPropertyKey_Rotation, "Rotation");
NALU_CONSTANT(kVTRotation_0, "Rotation0");
NALU_CONSTANT(kVTRotation_CW90, "RotationCW90");
NALU_CONSTANT(kVTRotation_180, "Rotation180");
NALU_CONSTANT(kVTRotation_CCW90, "RotationCCW90");
NALU_CONSTANT(kVTPixelRotationPropertyKey_FlipHorizontalOrientation, "FlipHorizontalOrientation");
NALU_CONSTANT(kVTPixelRotationPropertyKey_FlipVerticalOrientation, "FlipVerticalOrientation");

struct OpaqueVTPixelRotationSession {
    nalu_pixel_session pixels;
};

static const CFStringRef *const rotations[] = {&kVTRotation_0, &kVTRotation_CW90, &kVTRotation_180, &kVTRotation_CCW90,
                                               NULL};

static const nalu_stored_property properties[] = {
    {.key = &kVTPixelRotationPropertyKey_Rotation, .kind = NALU_STORED_STRING, .values = rotations,
     .documentation = "The rotation of the image."},
    {.key = &kVTPixelRotationPropertyKey_FlipHorizontalOrientation, .kind = NALU_STORED_BOOLEAN,
     .documentation = "True: the image is mirrored left to right, after the rotation."},
    {.key = &kVTPixelRotationPropertyKey_FlipVerticalOrientation, .kind = NALU_STORED_BOOLEAN,
     .documentation = "True: the image is mirrored top to bottom, after the rotation."},
    {.key = NULL},
};

static nalu_class session_class = {
    .runtime = {.className = "VTPixelRotationSession", .finalize = nalu_pixel_session_finalize}};

CFTypeID VTPixelRotationSessionGetTypeID(void) { return nalu_class_type(&session_class); }

OSStatus VTPixelRotationSessionCreate(CFAllocatorRef allocator, VTPixelRotationSessionRef *pixelRotationSessionOut) {
    return nalu_pixel_session_create(&session_class, properties, allocator, sizeof(struct OpaqueVTPixelRotationSession),
                                     pixelRotationSessionOut);
}

void VTPixelRotationSessionInvalidate(VTPixelRotationSessionRef session) {
    if (nalu_object_is(session, &session_class)) nalu_pixel_session_invalidate(&session->pixels);
}

/* ---- Rotation ------------------------------------------------------------------------------ */

/* The source sample of a place in the destination. Its column and row are those of the place, swapped if `exchanged`,
 * and then counted from the right or the bottom edge. */
typedef struct turn {
    bool exchanged;
    bool from_right;
    bool from_bottom;
} turn;

static bool is_true(CFDictionaryRef values, CFStringRef key) {
    return CFDictionaryGetValue(values, key) == (const void *)kCFBooleanTrue;
}

/* Returns the way from a place in the destination back to the source: first the flips are undone, then the rotation. */
static turn turn_of(CFDictionaryRef values) {
    CFStringRef rotation = CFDictionaryGetValue(values, kVTPixelRotationPropertyKey_Rotation);
    const bool clockwise = rotation && CFEqual(rotation, kVTRotation_CW90);
    const bool counterclockwise = rotation && CFEqual(rotation, kVTRotation_CCW90);
    const bool half = rotation && CFEqual(rotation, kVTRotation_180);
    const bool horizontal = is_true(values, kVTPixelRotationPropertyKey_FlipHorizontalOrientation);
    const bool vertical = is_true(values, kVTPixelRotationPropertyKey_FlipVerticalOrientation);
    /* For a quarter turn, the destination's row selects the source's column, and its column the source's row. */
    if (clockwise || counterclockwise)
        return (turn){true, counterclockwise != vertical, clockwise != horizontal};
    return (turn){false, half != horizontal, half != vertical};
}

/* With a constant size the compiler copies a block inline, without a call. */
#define COPY_BLOCKS(size)                                                                                              \
    for (size_t x = 0; x < count; x++, from += step, to += size) memcpy(to, from, size)

static void copy_blocks(uint8_t *to, const uint8_t *from, ptrdiff_t step, size_t count, size_t size) {
    switch (size) {
    case 1: COPY_BLOCKS(1); break;
    case 2: COPY_BLOCKS(2); break;
    case 3: COPY_BLOCKS(3); break;
    case 4: COPY_BLOCKS(4); break;
    case 8: COPY_BLOCKS(8); break;
    default:
        for (size_t x = 0; x < count; x++, from += step, to += size) memcpy(to, from, size);
        break;
    }
}

/* Swaps the two luma samples of each pair of pixels that share chroma. Mirroring needs this. */
static void exchange_luma(uint8_t *row, size_t count, OSType format) {
    const size_t size = format == kCVPixelFormatType_422YpCbCr16 ? 2 : 1;
    const bool luma_first =
        format == kCVPixelFormatType_422YpCbCr8_yuvs || format == kCVPixelFormatType_422YpCbCr8FullRange;
    uint8_t *first = row + (luma_first ? 0 : size), *second = first + 2 * size, kept[2];
    for (size_t i = 0; i < count; i++, first += 4 * size, second += 4 * size) {
        memcpy(kept, first, size);
        memcpy(first, second, size);
        memcpy(second, kept, size);
    }
}

static void turn_plane(CVPixelBufferRef source, CVPixelBufferRef destination, size_t index, turn turn) {
    const nalu_format_plane *plane = &source->format->planes[index];
    const nalu_buffer_plane *from = &source->planes[index], *to = &destination->planes[index];
    const size_t size = plane->block_bytes;
    const size_t columns = nalu_format_row_bytes(plane, destination->width) / size;
    const size_t rows = nalu_format_plane_height(plane, destination->height);
    const ptrdiff_t stride = (ptrdiff_t)from->stride;
    const size_t source_columns = turn.exchanged ? rows : columns, source_rows = turn.exchanged ? columns : rows;
    const uint8_t *origin = from->base + (turn.from_right ? (source_columns - 1) * size : 0) +
                            (turn.from_bottom ? (ptrdiff_t)(source_rows - 1) * stride : 0);
    const ptrdiff_t column_step = turn.from_right ? -(ptrdiff_t)size : (ptrdiff_t)size;
    const ptrdiff_t row_step = turn.from_bottom ? -stride : stride;
    for (size_t y = 0; y < rows; y++) {
        uint8_t *row = to->base + y * to->stride;
        const uint8_t *first = origin + (ptrdiff_t)y * (turn.exchanged ? column_step : row_step);
        copy_blocks(row, first, turn.exchanged ? row_step : column_step, columns, size);
        if (plane->block_width == 2 && turn.from_right) exchange_luma(row, columns, source->format->type);
    }
}

static OSStatus check(CVPixelBufferRef source, CVPixelBufferRef destination, turn turn) {
    const nalu_format *format = source->format;
    const size_t width = turn.exchanged ? source->height : source->width;
    const size_t height = turn.exchanged ? source->width : source->height;
    if (destination->format != format || destination->width != width || destination->height != height)
        return kVTPixelRotationNotSupportedErr;
    for (size_t i = 0; i < format->plane_count; i++) {
        const nalu_format_plane *plane = &format->planes[i];
        /* The samples of a plane are moved unchanged, so pairs of pixels that share chroma must stay pairs. */
        if (turn.exchanged && (plane->horizontal != plane->vertical || plane->block_width > 1))
            return kVTPixelRotationNotSupportedErr;
        if (turn.from_right && (plane->block_width > 2 || (plane->block_width == 2 && source->width % 2 != 0)))
            return kVTPixelRotationNotSupportedErr;
        if (plane->block_width == 2 && plane->block_bytes == 1 && turn.from_right)
            return kVTPixelRotationNotSupportedErr;
    }
    return noErr;
}

OSStatus VTPixelRotationSessionRotateImage(VTPixelRotationSessionRef session, CVPixelBufferRef sourceBuffer,
                                           CVPixelBufferRef destinationBuffer) {
    CFDictionaryRef values = NULL;
    if (!nalu_object_is(session, &session_class) || !nalu_buffer_checked(sourceBuffer) ||
        !nalu_buffer_checked(destinationBuffer) || sourceBuffer == destinationBuffer)
        return kVTParameterErr;
    OSStatus status = nalu_pixel_session_copy_values(&session->pixels, &values);
    if (status) return status;
    const turn turn = turn_of(values);
    CFRelease(values);
    status = check(sourceBuffer, destinationBuffer, turn);
    if (status) return status;
    for (size_t i = 0; i < sourceBuffer->format->plane_count; i++) turn_plane(sourceBuffer, destinationBuffer, i, turn);
    CVBufferPropagateAttachments(sourceBuffer, destinationBuffer);
    return noErr;
}
