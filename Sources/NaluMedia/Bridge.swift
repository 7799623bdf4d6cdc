internal import Nalu
internal import NaluMediaEngine

/// Between the objects of module Nalu and the engine's. The handle of an object of Nalu is the object's own address.
enum Bridge {
    static func object(_ sample: Sample) -> SampleObject {
        unsafe SampleObject(owning: OpaquePointer(Unmanaged.passRetained(sample).toOpaque()))
    }

    static func object(_ format: FormatDescription) -> FormatObject {
        unsafe FormatObject(owning: OpaquePointer(Unmanaged.passRetained(format).toOpaque()))
    }

    static func sample(_ object: SampleObject) -> Sample {
        unsafe Unmanaged.fromOpaque(UnsafeRawPointer(object.handedOver())).takeRetainedValue()
    }

    static func format(_ object: FormatObject) -> FormatDescription {
        unsafe Unmanaged.fromOpaque(UnsafeRawPointer(object.handle)).takeUnretainedValue()
    }

    static func image(_ object: PixelBufferObject) -> PixelBuffer {
        unsafe Unmanaged.fromOpaque(UnsafeRawPointer(object.handle)).takeUnretainedValue()
    }
}
