public import CoreFoundationTypes
public import Foundation

/// A protocol that lets a CoreFoundation type have initializers.
public protocol CMFormatDescriptionProtocol {}

extension CMFormatDescription: CMFormatDescriptionProtocol {}

extension CMFormatDescriptionProtocol where Self == CMFormatDescription {
    public init(
        mediaType: CMFormatDescription.MediaType, mediaSubType: CMFormatDescription.MediaSubType,
        extensions: CMFormatDescription.Extensions? = nil
    ) throws {
        var description: CMFormatDescription?
        let status = unsafe CMFormatDescriptionCreate(
            allocator: nil, mediaType: mediaType.rawValue, mediaSubType: mediaSubType.rawValue,
            extensions: extensions?.object, formatDescriptionOut: &description)
        self = try created(description, status)
    }

    /// Creates a description of video, for example with `kCMVideoCodecType_H264` and an `avcC` atom in the extensions.
    public init(
        videoCodecType: CMFormatDescription.MediaSubType, width: Int, height: Int,
        extensions: CMFormatDescription.Extensions? = nil
    ) throws {
        var description: CMFormatDescription?
        let status = unsafe CMVideoFormatDescriptionCreate(
            allocator: nil, codecType: videoCodecType.rawValue, width: Int32(clamping: width),
            height: Int32(clamping: height),
            extensions: extensions?.object, formatDescriptionOut: &description)
        self = try created(description, status)
    }

    /// Creates the description of an image.
    public init(imageBuffer: CVImageBuffer) throws {
        var description: CMFormatDescription?
        let status = unsafe CMVideoFormatDescriptionCreateForImageBuffer(
            allocator: nil, imageBuffer: imageBuffer, formatDescriptionOut: &description)
        self = try created(description, status)
    }

    /// Creates a description of H.264 from SPS and PPS without start codes.
    public init(h264ParameterSets parameterSets: [Data], nalUnitHeaderLength: Int = 4) throws {
        var description: CMFormatDescription?
        let status = unsafe withPointers(to: parameterSets) { pointers, sizes in
            unsafe CMVideoFormatDescriptionCreateFromH264ParameterSets(
                allocator: nil, parameterSetCount: parameterSets.count, parameterSetPointers: pointers,
                parameterSetSizes: sizes, nalUnitHeaderLength: Int32(clamping: nalUnitHeaderLength),
                formatDescriptionOut: &description)
        }
        self = try created(description, status)
    }

    /// Creates a description of H.265 from VPS, SPS and PPS without start codes.
    public init(
        hevcParameterSets parameterSets: [Data], nalUnitHeaderLength: Int = 4,
        extensions: CMFormatDescription.Extensions? = nil
    ) throws {
        var description: CMFormatDescription?
        let status = unsafe withPointers(to: parameterSets) { pointers, sizes in
            unsafe CMVideoFormatDescriptionCreateFromHEVCParameterSets(
                allocator: nil, parameterSetCount: parameterSets.count, parameterSetPointers: pointers,
                parameterSetSizes: sizes, nalUnitHeaderLength: Int32(clamping: nalUnitHeaderLength),
                extensions: extensions?.object, formatDescriptionOut: &description)
        }
        self = try created(description, status)
    }
}

/// Calls `body` with a pointer to each parameter set, and with their sizes. All sets are copied to one contiguous
/// memory.
private func withPointers(
    to parameterSets: [Data], _ body: (UnsafePointer<UnsafePointer<UInt8>>, UnsafePointer<Int>) -> OSStatus
) -> OSStatus {
    let bytes = parameterSets.flatMap { Array($0) }
    let sizes = parameterSets.map(\.count)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return kCMFormatDescriptionError_InvalidParameter }
        var pointers = unsafe [UnsafePointer<UInt8>]()
        var offset = 0
        for size in sizes {
            unsafe pointers.append(start + offset)
            offset += size
        }
        return unsafe body(pointers, sizes)
    }
}

extension CMFormatDescription {
    public static var typeID: CFTypeID { CMFormatDescriptionGetTypeID() }

    public var mediaType: MediaType { MediaType(rawValue: CMFormatDescriptionGetMediaType(self)) }
    public var mediaSubType: MediaSubType { MediaSubType(rawValue: CMFormatDescriptionGetMediaSubType(self)) }
    public var extensions: Extensions { Extensions(CMFormatDescriptionGetExtensions(self)) }

    /// The size of the pictures in pixels.
    public var dimensions: CMVideoDimensions { CMVideoFormatDescriptionGetDimensions(self) }

    public func presentationDimensions(usePixelAspectRatio: Bool = true, useCleanAperture: Bool = true) -> CGSize {
        CMVideoFormatDescriptionGetPresentationDimensions(
            self, usePixelAspectRatio: usePixelAspectRatio, useCleanAperture: useCleanAperture)
    }

    public func cleanAperture(originIsAtTopLeft: Bool) -> CGRect {
        CMVideoFormatDescriptionGetCleanAperture(self, originIsAtTopLeft: originIsAtTopLeft)
    }

    public func matchesImageBuffer(_ imageBuffer: CVImageBuffer) -> Bool {
        CMVideoFormatDescriptionMatchesImageBuffer(self, imageBuffer: imageBuffer)
    }

    public func equalTo(
        _ other: CMFormatDescription, extensionKeysToIgnore: [Extensions.Key] = [],
        sampleDescriptionExtensionAtomKeysToIgnore: [String] = []
    ) -> Bool {
        CMFormatDescriptionEqualIgnoringExtensionKeys(
            self, otherFormatDescription: other,
            extensionKeysToIgnore: native(extensionKeysToIgnore.map(\.rawValue)),
            sampleDescriptionExtensionAtomKeysToIgnore: native(sampleDescriptionExtensionAtomKeysToIgnore))
    }

    /// The parameter sets of H.264 (SPS, PPS) or H.265 (VPS, SPS, PPS, SEI). Empty for other codecs.
    public var parameterSets: [Data] {
        var sets: [Data] = []
        while true {
            var pointer: UnsafePointer<UInt8>?
            var size = 0
            var count = 0
            guard unsafe getParameterSet(sets.count, &pointer, &size, &count, nil) == noErr, let start = unsafe pointer
            else { return sets }
            unsafe sets.append(Data(bytes: start, count: size))
            if sets.count >= count { return sets }
        }
    }

    /// The number of bytes of the length before each NAL unit; nil for codecs other than H.264 and H.265.
    public var nalUnitHeaderLength: Int? {
        var length: Int32 = 0
        return unsafe getParameterSet(0, nil, nil, nil, &length) == noErr ? Int(length) : nil
    }

    private func getParameterSet(
        _ index: Int, _ pointer: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ size: UnsafeMutablePointer<Int>?,
        _ count: UnsafeMutablePointer<Int>?, _ length: UnsafeMutablePointer<Int32>?
    ) -> OSStatus {
        if mediaSubType == .h264 {
            return unsafe CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
                self, parameterSetIndex: index, parameterSetPointerOut: pointer, parameterSetSizeOut: size,
                parameterSetCountOut: count, nalUnitHeaderLengthOut: length)
        }
        return unsafe CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
            self, parameterSetIndex: index, parameterSetPointerOut: pointer, parameterSetSizeOut: size,
            parameterSetCountOut: count, nalUnitHeaderLengthOut: length)
    }
}

public func CMVideoFormatDescriptionGetPresentationDimensions(
    _ videoDesc: CMVideoFormatDescription, usePixelAspectRatio: Bool, useCleanAperture: Bool
) -> CGSize {
    let size = __CMVideoFormatDescriptionGetPresentationDimensions(videoDesc, usePixelAspectRatio, useCleanAperture)
    return CGSize(width: size.width, height: size.height)
}

public func CMVideoFormatDescriptionGetCleanAperture(
    _ videoDesc: CMVideoFormatDescription, originIsAtTopLeft: Bool
) -> CGRect {
    let rectangle = __CMVideoFormatDescriptionGetCleanAperture(videoDesc, originIsAtTopLeft)
    return CGRect(
        x: rectangle.origin.x, y: rectangle.origin.y, width: rectangle.size.width, height: rectangle.size.height)
}

public func CMVideoFormatDescriptionGetCodecType(_ videoDesc: CMVideoFormatDescription) -> CMVideoCodecType {
    CMFormatDescriptionGetMediaSubType(videoDesc)
}
