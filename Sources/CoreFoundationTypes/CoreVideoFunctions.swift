public import CCoreVideo
import CoreFoundation
public import Foundation

// The CoreVideo functions with CoreFoundation objects as arguments or results. The C headers document them.

public func CVBufferSetAttachment(
    _ buffer: CVBuffer, _ key: CFString, _ value: CFTypeRef, _ attachmentMode: CVAttachmentMode
) {
    __CVBufferSetAttachment(buffer, view(key), native(value), attachmentMode)
}

public func CVBufferGetAttachment(
    _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> Unmanaged<CFTypeRef>? {
    unsafe __CVBufferGetAttachment(buffer, view(key), attachmentMode)
}

public func CVBufferCopyAttachment(
    _ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? {
    unsafe __CVBufferCopyAttachment(buffer, view(key), attachmentMode).map(given)
}

public func CVBufferRemoveAttachment(_ buffer: CVBuffer, _ key: CFString) {
    __CVBufferRemoveAttachment(buffer, view(key))
}

public func CVBufferGetAttachments(_ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
    givenOrNil(__CVBufferGetAttachments(buffer, attachmentMode))
}

public func CVBufferCopyAttachments(_ buffer: CVBuffer, _ attachmentMode: CVAttachmentMode) -> CFDictionary? {
    givenOrNil(__CVBufferCopyAttachments(buffer, attachmentMode))
}

public func CVBufferSetAttachments(
    _ buffer: CVBuffer, _ theAttachments: CFDictionary, _ attachmentMode: CVAttachmentMode
) {
    __CVBufferSetAttachments(buffer, native(theAttachments), attachmentMode)
}

public func CVBufferHasAttachment(_ buffer: CVBuffer, _ key: CFString) -> Bool {
    __CVBufferHasAttachment(buffer, view(key))
}

public func CVYCbCrMatrixGetIntegerCodePointForString(_ yCbCrMatrixString: CFString?) -> Int32 {
    __CVYCbCrMatrixGetIntegerCodePointForString(viewOrNil(yCbCrMatrixString))
}

public func CVColorPrimariesGetIntegerCodePointForString(_ colorPrimariesString: CFString?) -> Int32 {
    __CVColorPrimariesGetIntegerCodePointForString(viewOrNil(colorPrimariesString))
}

public func CVTransferFunctionGetIntegerCodePointForString(_ transferFunctionString: CFString?) -> Int32 {
    __CVTransferFunctionGetIntegerCodePointForString(viewOrNil(transferFunctionString))
}

public func CVYCbCrMatrixGetStringForIntegerCodePoint(_ yCbCrMatrixCodePoint: Int32) -> Unmanaged<CFString>? {
    unsafe shared(__CVYCbCrMatrixGetStringForIntegerCodePoint(yCbCrMatrixCodePoint))
}

public func CVColorPrimariesGetStringForIntegerCodePoint(_ colorPrimariesCodePoint: Int32) -> Unmanaged<CFString>? {
    unsafe shared(__CVColorPrimariesGetStringForIntegerCodePoint(colorPrimariesCodePoint))
}

public func CVTransferFunctionGetStringForIntegerCodePoint(
    _ transferFunctionCodePoint: Int32
) -> Unmanaged<CFString>? {
    unsafe shared(__CVTransferFunctionGetStringForIntegerCodePoint(transferFunctionCodePoint))
}

/// Converts a constant string, which lives without being retained.
private func shared(_ string: Unmanaged<CoreFoundation.CFString>?) -> Unmanaged<CFString>? {
    unsafe string.map { unsafe Unmanaged.passUnretained(view($0.takeUnretainedValue())) }
}

public func CVImageBufferCreateColorSpaceFromAttachments(_ attachments: CFDictionary) -> CGColorSpace? {
    __CVImageBufferCreateColorSpaceFromAttachments(native(attachments))
}

public func CVPixelBufferCreateResolvedAttributesDictionary(
    _ allocator: CFAllocator?, _ attributes: CFArray?, _ resolvedDictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> CVReturn {
    unsafe receive(resolvedDictionaryOut) { (place: UnsafeMutablePointer<CoreFoundation.CFDictionary?>?) in
        guard let place = unsafe place else { return kCVReturnInvalidArgument }
        return unsafe __CVPixelBufferCreateResolvedAttributesDictionary(allocator, nativeOrNil(attributes), place)
    }
}

@discardableResult
public func CVPixelBufferCreate(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    unsafe __CVPixelBufferCreate(
        allocator, width, height, pixelFormatType, nativeOrNil(pixelBufferAttributes), pixelBufferOut)
}

@discardableResult
public func CVPixelBufferCreateWithBytes(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ baseAddress: UnsafeMutableRawPointer, _ bytesPerRow: Int,
    _ releaseCallback: CVPixelBufferReleaseBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    unsafe __CVPixelBufferCreateWithBytes(
        allocator, width, height, pixelFormatType, baseAddress, bytesPerRow, releaseCallback, releaseRefCon,
        nativeOrNil(pixelBufferAttributes), pixelBufferOut)
}

@discardableResult
public func CVPixelBufferCreateWithPlanarBytes(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ dataPtr: UnsafeMutableRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
    _ planeBaseAddress: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ planeWidth: UnsafeMutablePointer<Int>,
    _ planeHeight: UnsafeMutablePointer<Int>, _ planeBytesPerRow: UnsafeMutablePointer<Int>,
    _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?, _ releaseRefCon: UnsafeMutableRawPointer?,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    unsafe __CVPixelBufferCreateWithPlanarBytes(
        allocator, width, height, pixelFormatType, dataPtr, dataSize, numberOfPlanes, planeBaseAddress, planeWidth,
        planeHeight, planeBytesPerRow, releaseCallback, releaseRefCon, nativeOrNil(pixelBufferAttributes),
        pixelBufferOut)
}

@discardableResult
public func CVPixelBufferCreateWithIOSurface(
    _ allocator: CFAllocator?, _ surface: IOSurface, _ pixelBufferAttributes: CFDictionary?,
    _ pixelBufferOut: UnsafeMutablePointer<Unmanaged<CVPixelBuffer>?>
) -> CVReturn {
    var buffer: CVPixelBuffer?
    let status = unsafe __CVPixelBufferCreateWithIOSurface(
        allocator, surface, nativeOrNil(pixelBufferAttributes), &buffer)
    unsafe pixelBufferOut.pointee = buffer.map { unsafe Unmanaged.passRetained($0) }
    return status
}

public func CVPixelBufferCopyCreationAttributes(_ pixelBuffer: CVPixelBuffer) -> CFDictionary {
    givenOrNil(__CVPixelBufferCopyCreationAttributes(pixelBuffer)) ?? NSDictionary()
}

public func CVPixelBufferIsCompatibleWithAttributes(_ pixelBuffer: CVPixelBuffer, _ attributes: CFDictionary?) -> Bool {
    __CVPixelBufferIsCompatibleWithAttributes(pixelBuffer, nativeOrNil(attributes))
}

@discardableResult
public func CVPixelBufferPoolCreate(
    _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?, _ pixelBufferAttributes: CFDictionary?,
    _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
    unsafe __CVPixelBufferPoolCreate(
        allocator, nativeOrNil(poolAttributes), nativeOrNil(pixelBufferAttributes), poolOut)
}

public func CVPixelBufferPoolGetAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
    givenOrNil(__CVPixelBufferPoolGetAttributes(pool))
}

public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
    givenOrNil(__CVPixelBufferPoolGetPixelBufferAttributes(pool))
}

@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
    _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool, _ auxAttributes: CFDictionary?,
    _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    unsafe __CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
        allocator, pixelBufferPool, nativeOrNil(auxAttributes), pixelBufferOut)
}

public func CVPixelFormatDescriptionCreateWithPixelFormatType(
    _ allocator: CFAllocator?, _ pixelFormat: OSType
) -> CFDictionary? {
    givenOrNil(__CVPixelFormatDescriptionCreateWithPixelFormatType(allocator, pixelFormat))
}

public func CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(_ allocator: CFAllocator?) -> CFArray? {
    givenOrNil(__CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(allocator))
}

public func CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType(
    _ description: CFDictionary, _ pixelFormat: OSType
) {
    __CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType(native(description), pixelFormat)
}

public func CVPixelFormatTypeCopyFourCharCodeString(_ pixelFormat: OSType) -> CFString {
    view(__CVPixelFormatTypeCopyFourCharCodeString(pixelFormat))
}
