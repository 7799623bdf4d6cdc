public import CCoreMedia
import CoreFoundation
public import Foundation

// The CoreMedia functions with CoreFoundation objects as arguments or results. The C headers document them.

public func CMSetAttachment(
    _ target: CMAttachmentBearer, key: CFString, value: CFTypeRef?, attachmentMode: CMAttachmentMode
) {
    __CMSetAttachment(target, key: view(key), value: value.map { native($0) }, attachmentMode: attachmentMode)
}

public func CMGetAttachment(
    _ target: CMAttachmentBearer, key: CFString, attachmentModeOut: UnsafeMutablePointer<CMAttachmentMode>?
) -> CFTypeRef? {
    unsafe __CMGetAttachment(target, key: view(key), attachmentModeOut: attachmentModeOut).map(given)
}

public func CMRemoveAttachment(_ target: CMAttachmentBearer, key: CFString) {
    __CMRemoveAttachment(target, key: view(key))
}

public func CMSetAttachments(
    _ target: CMAttachmentBearer, attachments theAttachments: CFDictionary, attachmentMode: CMAttachmentMode
) {
    __CMSetAttachments(target, attachments: native(theAttachments), attachmentMode: attachmentMode)
}

public func CMCopyDictionaryOfAttachments(
    allocator: CFAllocator?, target: CMAttachmentBearer, attachmentMode: CMAttachmentMode
) -> CFDictionary? {
    givenOrNil(__CMCopyDictionaryOfAttachments(allocator: allocator, target: target, attachmentMode: attachmentMode))
}

@discardableResult
public func CMFormatDescriptionCreate(
    allocator: CFAllocator?, mediaType: CMMediaType, mediaSubType: FourCharCode, extensions: CFDictionary?,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
    unsafe __CMFormatDescriptionCreate(
        allocator: allocator, mediaType: mediaType, mediaSubType: mediaSubType, extensions: nativeOrNil(extensions),
        formatDescriptionOut: formatDescriptionOut)
}

public func CMFormatDescriptionGetExtensions(_ desc: CMFormatDescription) -> CFDictionary? {
    givenOrNil(__CMFormatDescriptionGetExtensions(desc))
}

public func CMFormatDescriptionGetExtension(_ desc: CMFormatDescription, extensionKey: CFString) -> CFPropertyList? {
    __CMFormatDescriptionGetExtension(desc, extensionKey: view(extensionKey)).map(given)
}

@discardableResult
public func CMVideoFormatDescriptionCreate(
    allocator: CFAllocator?, codecType: CMVideoCodecType, width: Int32, height: Int32, extensions: CFDictionary?,
    formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
    unsafe __CMVideoFormatDescriptionCreate(
        allocator: allocator, codecType: codecType, width: width, height: height, extensions: nativeOrNil(extensions),
        formatDescriptionOut: formatDescriptionOut)
}

@discardableResult
public func CMVideoFormatDescriptionCreateFromHEVCParameterSets(
    allocator: CFAllocator?, parameterSetCount: Int, parameterSetPointers: UnsafePointer<UnsafePointer<UInt8>>,
    parameterSetSizes: UnsafePointer<Int>, nalUnitHeaderLength NALUnitHeaderLength: Int32, extensions: CFDictionary?,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus {
    unsafe __CMVideoFormatDescriptionCreateFromHEVCParameterSets(
        allocator: allocator, parameterSetCount: parameterSetCount, parameterSetPointers: parameterSetPointers,
        parameterSetSizes: parameterSetSizes, nalUnitHeaderLength: NALUnitHeaderLength,
        extensions: nativeOrNil(extensions), formatDescriptionOut: formatDescriptionOut)
}

public func CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers() -> CFArray {
    view(__CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers())
}

public func CMSampleBufferGetSampleAttachmentsArray(_ sbuf: CMSampleBuffer, createIfNecessary: Bool) -> CFArray? {
    viewOrNil(__CMSampleBufferGetSampleAttachmentsArray(sbuf, createIfNecessary: createIfNecessary))
}

public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: CFAllocator?) -> CFDictionary? {
    givenOrNil(__CMTimeCopyAsDictionary(time, allocator: allocator))
}

public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: CFDictionary?) -> CMTime {
    __CMTimeMakeFromDictionary(nativeOrNil(dictionaryRepresentation))
}

public func CMTimeCopyDescription(allocator: CFAllocator?, time: CMTime) -> CFString? {
    viewOrNil(__CMTimeCopyDescription(allocator: allocator, time: time))
}

public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: CFAllocator?) -> CFDictionary? {
    givenOrNil(__CMTimeRangeCopyAsDictionary(range, allocator: allocator))
}

public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: CFDictionary) -> CMTimeRange {
    __CMTimeRangeMakeFromDictionary(native(dictionaryRepresentation))
}

public func CMTimeRangeCopyDescription(allocator: CFAllocator?, range: CMTimeRange) -> CFString? {
    viewOrNil(__CMTimeRangeCopyDescription(allocator: allocator, range: range))
}

public func CMTimeMappingCopyAsDictionary(_ mapping: CMTimeMapping, allocator: CFAllocator?) -> CFDictionary? {
    givenOrNil(__CMTimeMappingCopyAsDictionary(mapping, allocator: allocator))
}

public func CMTimeMappingMakeFromDictionary(_ dictionaryRepresentation: CFDictionary) -> CMTimeMapping {
    __CMTimeMappingMakeFromDictionary(native(dictionaryRepresentation))
}

public func CMTimeMappingCopyDescription(allocator: CFAllocator?, mapping: CMTimeMapping) -> CFString? {
    viewOrNil(__CMTimeMappingCopyDescription(allocator: allocator, mapping: mapping))
}

public func CMMemoryPoolCreate(options: CFDictionary?) -> CMMemoryPool? {
    __CMMemoryPoolCreate(options: options.map(native))
}
