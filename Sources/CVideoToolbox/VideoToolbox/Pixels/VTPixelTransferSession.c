#include <VideoToolbox/VTPixelTransferSession.h>

#include "../../CoreVideo/buffer.h"
#include "../../Support/constant.h"
#include "../../Support/float_environment.h"
#include "../../Support/property_list.h"
#include "image_rgb.h"
#include "image_transfer.h"
#include "pixel_session.h"
#include "pixels.h"

#include <math.h>

NALU_CONSTANT(kVTPixelTransferPropertyKey_ScalingMode, "ScalingMode");
NALU_CONSTANT(kVTScalingMode_Normal, "Normal");
NALU_CONSTANT(kVTScalingMode_CropSourceToCleanAperture, "CropSourceToCleanAperture");
NALU_CONSTANT(kVTScalingMode_Letterbox, "Letterbox");
NALU_CONSTANT(kVTScalingMode_Trim, "Trim");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DestinationCleanAperture, "DestinationCleanAperture");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DestinationPixelAspectRatio, "DestinationPixelAspectRatio");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DownsamplingMode, "DownsamplingMode");
NALU_CONSTANT(kVTDownsamplingMode_Decimate, "Decimate");
NALU_CONSTANT(kVTDownsamplingMode_Average, "Average");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DestinationColorPrimaries, "DestinationColorPrimaries");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DestinationTransferFunction, "DestinationTransferFunction");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DestinationYCbCrMatrix, "DestinationYCbCrMatrix");
NALU_CONSTANT(kVTPixelTransferPropertyKey_DestinationICCProfile, "DestinationICCProfile");
NALU_CONSTANT(kVTPixelTransferPropertyKey_RealTime, "RealTime");

struct OpaqueVTPixelTransferSession {
    nalu_pixel_session pixels;
};

static const CFStringRef *const scaling_modes[] = {&kVTScalingMode_Normal, &kVTScalingMode_CropSourceToCleanAperture,
                                                   &kVTScalingMode_Letterbox, &kVTScalingMode_Trim, NULL};
static const CFStringRef *const downsampling_modes[] = {&kVTDownsamplingMode_Average, &kVTDownsamplingMode_Decimate,
                                                        NULL};

static const nalu_stored_property properties[] = {
    {.key = &kVTPixelTransferPropertyKey_ScalingMode, .kind = NALU_STORED_STRING, .values = scaling_modes,
     .documentation = "The fit of the source into the destination."},
    {.key = &kVTPixelTransferPropertyKey_DestinationCleanAperture, .kind = NALU_STORED_DICTIONARY,
     .documentation = "The part of the destination that the picture fills."},
    {.key = &kVTPixelTransferPropertyKey_DestinationPixelAspectRatio, .kind = NALU_STORED_DICTIONARY,
     .documentation = "The shape of the destination's pixels."},
    {.key = &kVTPixelTransferPropertyKey_DownsamplingMode, .kind = NALU_STORED_STRING, .values = downsampling_modes,
     .documentation = "The filter that reduces the resolution of chroma."},
    {.key = &kVTPixelTransferPropertyKey_DestinationColorPrimaries, .kind = NALU_STORED_STRING,
     .documentation = "Attached to the destination. It cannot differ from the source's."},
    {.key = &kVTPixelTransferPropertyKey_DestinationTransferFunction, .kind = NALU_STORED_STRING,
     .documentation = "Attached to the destination. It cannot differ from the source's."},
    {.key = &kVTPixelTransferPropertyKey_DestinationYCbCrMatrix, .kind = NALU_STORED_STRING,
     .documentation = "The matrix of the destination, if it is in YCbCr."},
    {.key = &kVTPixelTransferPropertyKey_DestinationICCProfile, .kind = NALU_STORED_DATA,
     .documentation = "Attached to the destination."},
    {.key = &kVTPixelTransferPropertyKey_RealTime, .kind = NALU_STORED_BOOLEAN,
     .documentation = "Accepted without effect."},
    {.key = NULL},
};

static nalu_class session_class = {
    .runtime = {.className = "VTPixelTransferSession", .finalize = nalu_pixel_session_finalize}};

CFTypeID VTPixelTransferSessionGetTypeID(void) { return nalu_class_type(&session_class); }

OSStatus VTPixelTransferSessionCreate(CFAllocatorRef allocator, VTPixelTransferSessionRef *pixelTransferSessionOut) {
    return nalu_pixel_session_create(&session_class, properties, allocator, sizeof(struct OpaqueVTPixelTransferSession),
                                     pixelTransferSessionOut);
}

void VTPixelTransferSessionInvalidate(VTPixelTransferSessionRef session) {
    if (nalu_object_is(session, &session_class)) nalu_pixel_session_invalidate(&session->pixels);
}

/* ---- Colours -------------------------------------------------------------------------------- */

typedef struct matrix {
    const CFStringRef *name;
    nalu_luma_weights weights;
    int32_t number;
} matrix;

static const matrix matrices[] = {
    {&kCVImageBufferYCbCrMatrix_ITU_R_709_2, {0.2126f, 0.0722f}, NALU_MATRIX_ITU_R_709_2},
    {&kCVImageBufferYCbCrMatrix_ITU_R_601_4, {0.299f, 0.114f}, NALU_MATRIX_ITU_R_601_4},
    {&kCVImageBufferYCbCrMatrix_ITU_R_2020, {0.2627f, 0.0593f}, NALU_MATRIX_ITU_R_2020},
    {&kCVImageBufferYCbCrMatrix_SMPTE_240M_1995, {0.212f, 0.087f}, NALU_MATRIX_SMPTE_240M_1995},
};

/* Returns NULL for the name of another matrix. */
static const matrix *matrix_named(CFTypeRef name) {
    for (size_t i = 0; name && i < sizeof matrices / sizeof *matrices; i++)
        if (CFEqual(*matrices[i].name, name)) return &matrices[i];
    return NULL;
}

static const matrix *matrix_of(CVPixelBufferRef buffer) {
    CFTypeRef name = CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, NULL);
    const matrix *found = matrix_named(name);
    if (name) CFRelease(name);
    return found ? found : &matrices[buffer->height >= 720 ? 0 : 1];
}

bool nalu_transfer_changes_colours(CFDictionaryRef properties, CFTypeRef primaries, CFTypeRef function) {
    CFTypeRef to_primaries = CFDictionaryGetValue(properties, kVTPixelTransferPropertyKey_DestinationColorPrimaries);
    CFTypeRef to_function = CFDictionaryGetValue(properties, kVTPixelTransferPropertyKey_DestinationTransferFunction);
    return (to_primaries && primaries && !CFEqual(to_primaries, primaries)) ||
           (to_function && function && !CFEqual(to_function, function));
}

static bool changes_colours(CFDictionaryRef properties, CVPixelBufferRef source) {
    CFTypeRef primaries = CVBufferCopyAttachment(source, kCVImageBufferColorPrimariesKey, NULL);
    CFTypeRef function = CVBufferCopyAttachment(source, kCVImageBufferTransferFunctionKey, NULL);
    const bool changes = nalu_transfer_changes_colours(properties, primaries, function);
    if (primaries) CFRelease(primaries);
    if (function) CFRelease(function);
    return changes;
}

static bool is_rgb_or_gray(const nalu_format *format) { return !(format->flags & NALU_FORMAT_YCBCR); }

/* ---- Source and destination rectangles ------------------------------------------------------ */

typedef struct job {
    CVPixelBufferRef source;
    CVPixelBufferRef destination;
    CFDictionaryRef values;
    const matrix *from;
    const matrix *to;
    bool normal; /* kVTScalingMode_Normal */
    nalu_transfer transfer;
} job;

static bool has_value(const job *job, CFStringRef key, CFStringRef value) {
    CFTypeRef set = CFDictionaryGetValue(job->values, key);
    return set && CFEqual(set, value);
}

static double number_or(CFTypeRef dictionary, CFStringRef key, double otherwise) {
    double number = otherwise;
    if (!dictionary || CFGetTypeID(dictionary) != CFDictionaryGetTypeID()) return otherwise;
    if (nalu_dictionary_double(dictionary, key, &number) != 1 || !isfinite(number)) return otherwise;
    return number;
}

static double shape_of(CFTypeRef ratio) {
    const double horizontal = number_or(ratio, kCVImageBufferPixelAspectRatioHorizontalSpacingKey, 1);
    const double vertical = number_or(ratio, kCVImageBufferPixelAspectRatioVerticalSpacingKey, 1);
    return horizontal > 0 && vertical > 0 ? horizontal / vertical : 1;
}

/* Returns the part of a rectangle that lies in an image; at least one pixel. */
static CGRect limited(CGRect rect, size_t width, size_t height) {
    const double left = fmin(fmax(rect.origin.x, 0), (double)width - 1);
    const double top = fmin(fmax(rect.origin.y, 0), (double)height - 1);
    const double right = fmin(fmax(rect.origin.x + rect.size.width, left + 1), (double)width);
    const double bottom = fmin(fmax(rect.origin.y + rect.size.height, top + 1), (double)height);
    return CGRectMake(left, top, right - left, bottom - top);
}

static CGRect destination_aperture(const job *job) {
    const double width = (double)job->destination->width, height = (double)job->destination->height;
    CFTypeRef aperture = CFDictionaryGetValue(job->values, kVTPixelTransferPropertyKey_DestinationCleanAperture);
    const double wide = number_or(aperture, kCVImageBufferCleanApertureWidthKey, width);
    const double high = number_or(aperture, kCVImageBufferCleanApertureHeightKey, height);
    const double right = number_or(aperture, kCVImageBufferCleanApertureHorizontalOffsetKey, 0);
    const double down = number_or(aperture, kCVImageBufferCleanApertureVerticalOffsetKey, 0);
    return CGRectMake((width - wide) / 2 + right, (height - high) / 2 + down, wide, high);
}

/* Returns the largest centred part of a rectangle whose width is `ratio` times its height. */
static CGRect fitted(CGRect rect, double ratio) {
    const double width = fmin(rect.size.width, rect.size.height * ratio);
    const double height = fmin(rect.size.height, rect.size.width / ratio);
    return CGRectMake(rect.origin.x + (rect.size.width - width) / 2, rect.origin.y + (rect.size.height - height) / 2,
                      width, height);
}

/* Rounds one side of a rectangle to multiples of `step`, so that chroma samples are not split. */
static void place(double start, double length, size_t step, size_t limit, size_t *from, size_t *count) {
    *from = (size_t)lrint(start / (double)step) * step;
    size_t end = (size_t)lrint((start + length) / (double)step) * step;
    if (start + length >= (double)limit || end > limit) end = limit;
    if (*from >= end) *from = end > step ? end - step : 0;
    *count = end > *from ? end - *from : limit;
}

static void choose_parts(job *job, const nalu_components *destination) {
    const CVPixelBufferRef source = job->source;
    nalu_transfer *transfer = &job->transfer;
    CGRect from = CGRectMake(0, 0, (double)source->width, (double)source->height);
    CGRect to = CGRectMake(0, 0, (double)job->destination->width, (double)job->destination->height);
    if (!job->normal) {
        CFTypeRef own = CVBufferCopyAttachment(source, kCVImageBufferPixelAspectRatioKey, NULL);
        CFTypeRef wanted = CFDictionaryGetValue(job->values, kVTPixelTransferPropertyKey_DestinationPixelAspectRatio);
        const double shape = shape_of(own) / shape_of(wanted);
        if (own) CFRelease(own);
        from = limited(CVImageBufferGetCleanRect(source), source->width, source->height);
        to = limited(destination_aperture(job), job->destination->width, job->destination->height);
        if (has_value(job, kVTPixelTransferPropertyKey_ScalingMode, kVTScalingMode_Letterbox))
            to = fitted(to, from.size.width / from.size.height * shape);
        else if (has_value(job, kVTPixelTransferPropertyKey_ScalingMode, kVTScalingMode_Trim))
            from = fitted(from, to.size.width / to.size.height / shape);
    }
    transfer->x = from.origin.x;
    transfer->y = from.origin.y;
    transfer->width = from.size.width;
    transfer->height = from.size.height;
    place(to.origin.x, to.size.width, destination->horizontal, job->destination->width, &transfer->to_x,
          &transfer->to_width);
    place(to.origin.y, to.size.height, destination->vertical, job->destination->height, &transfer->to_y,
          &transfer->to_height);
    transfer->decimates = has_value(job, kVTPixelTransferPropertyKey_DownsamplingMode, kVTDownsamplingMode_Decimate);
}

/* ---- Copying, libnalu's conversion, and the general conversion ------------------------------ */

static void copy_planes(const job *job) {
    const nalu_format *format = job->source->format;
    for (size_t i = 0; i < format->plane_count; i++) {
        const nalu_buffer_plane *from = &job->source->planes[i], *to = &job->destination->planes[i];
        const size_t row = nalu_format_row_bytes(&format->planes[i], job->source->width);
        const size_t rows = nalu_format_plane_height(&format->planes[i], job->source->height);
        for (size_t y = 0; y < rows; y++) memcpy(to->base + y * to->stride, from->base + y * from->stride, row);
    }
}

/* Converts with the function that compression sessions use for their frames. */
static OSStatus transfer_by_libnalu(const job *job) {
    nalu_pixel_buffer *from = NULL, *to = NULL;
    OSStatus status = kVTAllocationFailedErr;
    if (!nalu_pixels_borrow(job->source, &from) && !nalu_pixels_borrow(job->destination, &to))
        switch (nalu_pixel_transfer_image(from, to, job->to->number)) {
        case NALU_STATUS_OK: status = noErr; break;
        case NALU_STATUS_ALLOCATION_FAILED: break;
        default: status = kVTPixelTransferNotSupportedErr; break;
        }
    if (from) nalu_pixel_buffer_release(from);
    if (to) nalu_pixel_buffer_release(to);
    return status;
}

static bool libnalu_can(const job *job) {
    static const OSType made[] = {NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
                                  NALU_PIXEL_FORMAT_F420, NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20};
    nalu_pixels pixels;
    bool can = false;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) can = can || made[i] == job->destination->format->type;
    return can && job->normal && !job->transfer.decimates && !nalu_pixels_get(job->source, &pixels) &&
           !nalu_pixels_get(job->destination, &pixels) && (is_rgb_or_gray(job->source->format) || job->from == job->to);
}

static void image_of(CVPixelBufferRef buffer, const matrix *matrix, nalu_image *image) {
    image->weights = matrix->weights;
    image->width = buffer->width;
    image->height = buffer->height;
    for (size_t i = 0; i < buffer->format->plane_count; i++) {
        image->planes[i] = buffer->planes[i].base;
        image->strides[i] = buffer->planes[i].stride;
    }
}

static OSStatus transfer(job *job) {
    nalu_image source = {0}, destination = {0};
    const nalu_format *format = job->destination->format;
    const bool known = nalu_components_of(job->source->format, &source.components) &&
                       nalu_components_of(format, &destination.components);
    if (known) choose_parts(job, &destination.components);
    if (job->normal && job->source->format == format && job->source->width == job->destination->width &&
        job->source->height == job->destination->height && (is_rgb_or_gray(format) || job->from == job->to)) {
        copy_planes(job);
        return noErr;
    }
    if (!known) return kVTPixelTransferNotSupportedErr;
    if (libnalu_can(job)) return transfer_by_libnalu(job);
    image_of(job->source, job->from, &source);
    image_of(job->destination, job->to, &destination);
    if (job->normal && source.width == destination.width && source.height == destination.height &&
        nalu_image_rgb_is_possible(&source.components, &destination.components))
        return nalu_image_rgb_convert(&source, &destination) ? noErr : kVTAllocationFailedErr;
    return nalu_image_transfer(&source, &destination, &job->transfer) ? noErr : kVTAllocationFailedErr;
}

/* ---- Attachments ---------------------------------------------------------------------------- */

static void attach_value(const job *job, CFStringRef property, CFStringRef key) {
    CFTypeRef value = CFDictionaryGetValue(job->values, property);
    if (value) CVBufferSetAttachment(job->destination, key, value, kCVAttachmentMode_ShouldPropagate);
}

static void set_double(CFMutableDictionaryRef dictionary, CFStringRef key, double value) {
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberDoubleType, &value);
    if (!number) return;
    CFDictionarySetValue(dictionary, key, number);
    CFRelease(number);
}

/* Sets the source's clean aperture and pixel aspect ratio on the destination, scaled to its size. */
static void scale_attachments(const job *job) {
    const double x = (double)job->destination->width / (double)job->source->width;
    const double y = (double)job->destination->height / (double)job->source->height;
    const struct {
        CFStringRef attachment, key;
        double factor;
    } scaled[] = {
        {kCVImageBufferCleanApertureKey, kCVImageBufferCleanApertureWidthKey, x},
        {kCVImageBufferCleanApertureKey, kCVImageBufferCleanApertureHeightKey, y},
        {kCVImageBufferCleanApertureKey, kCVImageBufferCleanApertureHorizontalOffsetKey, x},
        {kCVImageBufferCleanApertureKey, kCVImageBufferCleanApertureVerticalOffsetKey, y},
        {kCVImageBufferPixelAspectRatioKey, kCVImageBufferPixelAspectRatioHorizontalSpacingKey,
         (double)job->source->width * (double)job->destination->height},
        {kCVImageBufferPixelAspectRatioKey, kCVImageBufferPixelAspectRatioVerticalSpacingKey,
         (double)job->source->height * (double)job->destination->width},
    };
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++) {
        CFTypeRef own = CVBufferCopyAttachment(job->source, scaled[i].attachment, NULL);
        CFTypeRef value = CVBufferCopyAttachment(job->destination, scaled[i].attachment, NULL);
        if (own && value && CFGetTypeID(value) == CFDictionaryGetTypeID() && (i < 4 || x != y)) {
            CFMutableDictionaryRef changed = nalu_dictionary_copy(NULL, value);
            if (changed) {
                set_double(changed, scaled[i].key, number_or(own, scaled[i].key, 0) * scaled[i].factor);
                CVBufferSetAttachment(job->destination, scaled[i].attachment, changed,
                                      kCVAttachmentMode_ShouldPropagate);
                CFRelease(changed);
            }
        }
        if (own) CFRelease(own);
        if (value) CFRelease(value);
    }
}

static void attach(const job *job) {
    CVBufferPropagateAttachments(job->source, job->destination);
    if (job->normal) scale_attachments(job);
    else {
        CVBufferRemoveAttachment(job->destination, kCVImageBufferCleanApertureKey);
        CVBufferRemoveAttachment(job->destination, kCVImageBufferPixelAspectRatioKey);
    }
    attach_value(job, kVTPixelTransferPropertyKey_DestinationCleanAperture, kCVImageBufferCleanApertureKey);
    attach_value(job, kVTPixelTransferPropertyKey_DestinationPixelAspectRatio, kCVImageBufferPixelAspectRatioKey);
    attach_value(job, kVTPixelTransferPropertyKey_DestinationColorPrimaries, kCVImageBufferColorPrimariesKey);
    attach_value(job, kVTPixelTransferPropertyKey_DestinationTransferFunction, kCVImageBufferTransferFunctionKey);
    attach_value(job, kVTPixelTransferPropertyKey_DestinationICCProfile, kCVImageBufferICCProfileKey);
    const bool converted = is_rgb_or_gray(job->source->format) && !is_rgb_or_gray(job->destination->format);
    if (converted || CFDictionaryContainsKey(job->values, kVTPixelTransferPropertyKey_DestinationYCbCrMatrix))
        CVBufferSetAttachment(job->destination, kCVImageBufferYCbCrMatrixKey, *job->to->name,
                              kCVAttachmentMode_ShouldPropagate);
}

OSStatus VTPixelTransferSessionTransferImage(VTPixelTransferSessionRef session, CVPixelBufferRef sourceBuffer,
                                             CVPixelBufferRef destinationBuffer) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    job job = {.source = sourceBuffer, .destination = destinationBuffer};
    if (!nalu_object_is(session, &session_class) || !nalu_buffer_checked(sourceBuffer) ||
        !nalu_buffer_checked(destinationBuffer) || sourceBuffer == destinationBuffer)
        return kVTParameterErr;
    OSStatus status = nalu_pixel_session_copy_values(&session->pixels, &job.values);
    if (status) return status;
    CFTypeRef wanted = CFDictionaryGetValue(job.values, kVTPixelTransferPropertyKey_DestinationYCbCrMatrix);
    CFTypeRef mode = CFDictionaryGetValue(job.values, kVTPixelTransferPropertyKey_ScalingMode);
    job.from = matrix_of(sourceBuffer);
    job.to = matrix_named(wanted);
    if ((wanted && !job.to) || changes_colours(job.values, sourceBuffer)) status = kVTPixelTransferNotSupportedErr;
    if (!job.to)
        job.to = is_rgb_or_gray(sourceBuffer->format) ? &matrices[destinationBuffer->height >= 720 ? 0 : 1] : job.from;
    job.normal = !mode || CFEqual(mode, kVTScalingMode_Normal);
    if (!status) status = transfer(&job);
    if (!status) attach(&job);
    CFRelease(job.values);
    return status;
}
