public import CVideoToolbox
import CoreFoundation
public import Foundation

// The VideoToolbox functions with CoreFoundation objects as arguments or results. The C headers document them.

@discardableResult
public func VTCompressionSessionCreate(
    allocator: CFAllocator?, width: Int32, height: Int32, codecType: CMVideoCodecType,
    encoderSpecification: CFDictionary?, imageBufferAttributes sourceImageBufferAttributes: CFDictionary?,
    compressedDataAllocator: CFAllocator?, outputCallback: VTCompressionOutputCallback?,
    refcon outputCallbackRefCon: UnsafeMutableRawPointer?,
    compressionSessionOut: UnsafeMutablePointer<VTCompressionSession?>
) -> OSStatus {
    unsafe __VTCompressionSessionCreate(
        allocator: allocator, width: width, height: height, codecType: codecType,
        encoderSpecification: nativeOrNil(encoderSpecification),
        imageBufferAttributes: nativeOrNil(sourceImageBufferAttributes),
        compressedDataAllocator: compressedDataAllocator, outputCallback: outputCallback, refcon: outputCallbackRefCon,
        compressionSessionOut: compressionSessionOut)
}

@discardableResult
public func VTCompressionSessionEncodeFrame(
    _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
    frameProperties: CFDictionary?, sourceFrameRefcon: UnsafeMutableRawPointer?,
    infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?
) -> OSStatus {
    unsafe __VTCompressionSessionEncodeFrame(
        session, imageBuffer: imageBuffer, presentationTimeStamp: presentationTimeStamp, duration: duration,
        frameProperties: nativeOrNil(frameProperties), sourceFrameRefcon: sourceFrameRefcon, infoFlagsOut: infoFlagsOut)
}

@discardableResult
public func VTCompressionSessionEncodeFrame(
    _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
    frameProperties: CFDictionary?, infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?,
    outputHandler: @escaping VTCompressionOutputHandler
) -> OSStatus {
    unsafe __VTCompressionSessionEncodeFrame(
        session, imageBuffer: imageBuffer, presentationTimeStamp: presentationTimeStamp, duration: duration,
        frameProperties: nativeOrNil(frameProperties), infoFlagsOut: infoFlagsOut, outputHandler: outputHandler)
}

/// The form that programs for a Mac use. Disfavored, so that a call with nil means C's own function.
@_disfavoredOverload
@discardableResult
public func VTCompressionSessionEndPass(
    _ session: VTCompressionSession, furtherPassesRequestedOut: UnsafeMutablePointer<DarwinBoolean>?,
    _ reserved: UnsafeMutablePointer<UInt32>?
) -> OSStatus {
    guard let furtherPassesRequestedOut = unsafe furtherPassesRequestedOut else {
        return unsafe VTCompressionSessionEndPass(session, furtherPassesRequestedOut: nil, reserved)
    }
    var requested = unsafe furtherPassesRequestedOut.pointee.boolValue
    let status = unsafe VTCompressionSessionEndPass(session, furtherPassesRequestedOut: &requested, reserved)
    unsafe furtherPassesRequestedOut.pointee = DarwinBoolean(requested)
    return status
}

@discardableResult
public func VTDecompressionSessionCreate(
    allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
    decoderSpecification videoDecoderSpecification: CFDictionary?,
    imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
    outputCallback: UnsafePointer<VTDecompressionOutputCallbackRecord>?,
    decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus {
    unsafe __VTDecompressionSessionCreate(
        allocator: allocator, formatDescription: videoFormatDescription,
        decoderSpecification: nativeOrNil(videoDecoderSpecification),
        imageBufferAttributes: nativeOrNil(destinationImageBufferAttributes), outputCallback: outputCallback,
        decompressionSessionOut: decompressionSessionOut)
}

/// Creates a session without a callback. Each frame must be decoded with an output handler.
@discardableResult
public func VTDecompressionSessionCreate(
    allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
    decoderSpecification videoDecoderSpecification: CFDictionary?,
    imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
    decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus {
    unsafe VTDecompressionSessionCreate(
        allocator: allocator, formatDescription: videoFormatDescription,
        decoderSpecification: videoDecoderSpecification, imageBufferAttributes: destinationImageBufferAttributes,
        outputCallback: nil, decompressionSessionOut: decompressionSessionOut)
}

@discardableResult
public func VTDecompressionSessionDecodeFrame(
    _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
    frameOptions: CFDictionary?, frameRefcon sourceFrameRefCon: UnsafeMutableRawPointer?,
    infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?
) -> OSStatus {
    unsafe __VTDecompressionSessionDecodeFrame(
        session, sampleBuffer: sampleBuffer, flags: decodeFlags, frameOptions: nativeOrNil(frameOptions),
        frameRefcon: sourceFrameRefCon, infoFlagsOut: infoFlagsOut)
}

@discardableResult
public func VTDecompressionSessionDecodeFrame(
    _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
    frameOptions: CFDictionary?, infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?,
    outputHandler: @escaping VTDecompressionOutputHandler
) -> OSStatus {
    unsafe __VTDecompressionSessionDecodeFrame(
        session, sampleBuffer: sampleBuffer, flags: decodeFlags, frameOptions: nativeOrNil(frameOptions),
        infoFlagsOut: infoFlagsOut, outputHandler: outputHandler)
}

@discardableResult
public func VTFrameSiloCreate(
    allocator: CFAllocator?, fileURL: CFURL?, timeRange: CMTimeRange, options: CFDictionary?,
    frameSiloOut: UnsafeMutablePointer<VTFrameSilo?>
) -> OSStatus {
    unsafe __VTFrameSiloCreate(
        allocator: allocator, fileURL: viewOrNil(fileURL), timeRange: timeRange, options: nativeOrNil(options),
        frameSiloOut: frameSiloOut)
}

@discardableResult
public func VTMultiPassStorageCreate(
    allocator: CFAllocator?, fileURL: CFURL?, timeRange: CMTimeRange, options: CFDictionary?,
    multiPassStorageOut: UnsafeMutablePointer<VTMultiPassStorage?>
) -> OSStatus {
    unsafe __VTMultiPassStorageCreate(
        allocator: allocator, fileURL: viewOrNil(fileURL), timeRange: timeRange, options: nativeOrNil(options),
        multiPassStorageOut: multiPassStorageOut)
}

@discardableResult
public func VTSessionCopySupportedPropertyDictionary(
    _ session: VTSession, supportedPropertyDictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
    unsafe receive(supportedPropertyDictionaryOut) { (place: UnsafeMutablePointer<CoreFoundation.CFDictionary?>?) in
        guard let place = unsafe place else { return kVTParameterErr }
        return unsafe __VTSessionCopySupportedPropertyDictionary(session, supportedPropertyDictionaryOut: place)
    }
}

@discardableResult
public func VTSessionSetProperty(_ session: VTSession, key propertyKey: CFString, value propertyValue: CFTypeRef?)
    -> OSStatus
{
    __VTSessionSetProperty(session, key: view(propertyKey), value: propertyValue.map { native($0) })
}

@discardableResult
public func VTSessionSetProperties(_ session: VTSession, propertyDictionary: CFDictionary) -> OSStatus {
    __VTSessionSetProperties(session, propertyDictionary: native(propertyDictionary))
}

@discardableResult
public func VTSessionCopyProperty(
    _ session: VTSession, key propertyKey: CFString, allocator: CFAllocator?,
    valueOut propertyValueOut: UnsafeMutableRawPointer?
) -> OSStatus {
    unsafe __VTSessionCopyProperty(session, key: view(propertyKey), allocator: allocator, valueOut: propertyValueOut)
}

@discardableResult
public func VTSessionCopySerializableProperties(
    _ session: VTSession, allocator: CFAllocator?, dictionaryOut: UnsafeMutablePointer<CFDictionary?>
) -> OSStatus {
    unsafe receive(dictionaryOut) { (place: UnsafeMutablePointer<CoreFoundation.CFDictionary?>?) in
        guard let place = unsafe place else { return kVTParameterErr }
        return unsafe __VTSessionCopySerializableProperties(session, allocator: allocator, dictionaryOut: place)
    }
}

@discardableResult
public func VTCopyVideoEncoderList(
    _ options: CFDictionary?, _ listOfVideoEncodersOut: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe receive(listOfVideoEncodersOut) { (place: UnsafeMutablePointer<CoreFoundation.CFArray?>?) in
        guard let place = unsafe place else { return kVTParameterErr }
        return unsafe __VTCopyVideoEncoderList(nativeOrNil(options), place)
    }
}

@discardableResult
public func VTCopySupportedPropertyDictionaryForEncoder(
    width: Int32, height: Int32, codecType: CMVideoCodecType, encoderSpecification: CFDictionary?,
    encoderIDOut: UnsafeMutablePointer<CFString?>?, supportedPropertiesOut: UnsafeMutablePointer<CFDictionary?>?
) -> OSStatus {
    unsafe receive(encoderIDOut) { (identifier: UnsafeMutablePointer<CoreFoundation.CFString?>?) in
        unsafe receive(supportedPropertiesOut) { (properties: UnsafeMutablePointer<CoreFoundation.CFDictionary?>?) in
            unsafe __VTCopySupportedPropertyDictionaryForEncoder(
                width: width, height: height, codecType: codecType,
                encoderSpecification: nativeOrNil(encoderSpecification),
                encoderIDOut: identifier, supportedPropertiesOut: properties)
        }
    }
}
