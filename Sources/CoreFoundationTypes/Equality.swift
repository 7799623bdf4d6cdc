public import CCoreMedia
public import CCoreVideo
public import CVideoToolbox
import CoreFoundation

// Objects are equal where CoreFoundation says so: format descriptions with the same content, others where they are the same.

extension CVBuffer: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CVBuffer, right: CVBuffer) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CVPixelBufferPool: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CVPixelBufferPool, right: CVPixelBufferPool) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMBlockBuffer: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMBlockBuffer, right: CMBlockBuffer) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMFormatDescription: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMFormatDescription, right: CMFormatDescription) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMSampleBuffer: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMSampleBuffer, right: CMSampleBuffer) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMClock: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMClock, right: CMClock) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMTimebase: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMTimebase, right: CMTimebase) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMSimpleQueue: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMSimpleQueue, right: CMSimpleQueue) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension CMBufferQueue: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: CMBufferQueue, right: CMBufferQueue) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension VTCompressionSession: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: VTCompressionSession, right: VTCompressionSession) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension VTDecompressionSession: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: VTDecompressionSession, right: VTDecompressionSession) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension VTPixelTransferSession: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: VTPixelTransferSession, right: VTPixelTransferSession) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension VTPixelRotationSession: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: VTPixelRotationSession, right: VTPixelRotationSession) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension VTFrameSilo: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: VTFrameSilo, right: VTFrameSilo) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

extension VTMultiPassStorage: @retroactive Equatable, @retroactive Hashable {
    public static func == (left: VTMultiPassStorage, right: VTMultiPassStorage) -> Bool { CFEqual(left, right) }
    public func hash(into hasher: inout Hasher) { hasher.combine(CFHash(self)) }
}

// `@unchecked`: a description never changes after its creation.
extension CMFormatDescription: @retroactive @unchecked Sendable {}
