public import CCoreMedia
public import CCoreVideo
public import CVideoToolbox
import CoreFoundation

/// An object that CoreFoundation compares. Format descriptions with the same contents are equal; other objects are
/// equal only to themselves.
public protocol _CFObject: AnyObject, Hashable {}

extension _CFObject {
    public static func == (left: Self, right: Self) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CVBuffer: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CVPixelBufferPool: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMBlockBuffer: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMFormatDescription: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMSampleBuffer: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMClock: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMTimebase: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMSimpleQueue: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension CMBufferQueue: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension VTCompressionSession: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension VTDecompressionSession: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension VTPixelTransferSession: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension VTPixelRotationSession: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension VTFrameSilo: _CFObject, @retroactive Equatable, @retroactive Hashable {}
extension VTMultiPassStorage: _CFObject, @retroactive Equatable, @retroactive Hashable {}

// `@unchecked`: a description never changes after its creation.
extension CMFormatDescription: @retroactive @unchecked Sendable {}
