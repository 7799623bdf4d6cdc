#include <CoreVideo/CVPixelBufferIOSurface.h>

IOSurfaceRef CVPixelBufferGetIOSurface(CVPixelBufferRef pixelBuffer) {
    (void)pixelBuffer;
    return NULL;
}

CVReturn CVPixelBufferCreateWithIOSurface(CFAllocatorRef allocator, IOSurfaceRef surface,
                                          CFDictionaryRef pixelBufferAttributes, CVPixelBufferRef *pixelBufferOut) {
    (void)allocator, (void)pixelBufferAttributes;
    if (!pixelBufferOut) return kCVReturnInvalidArgument;
    *pixelBufferOut = NULL;
    return surface ? kCVReturnUnsupported : kCVReturnInvalidArgument;
}
