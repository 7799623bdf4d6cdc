internal import NaluBase
internal import NaluBoundary
internal import NaluMediaEngine

extension DecompressionSession: HandleObject {
    static var handleNoun: StaticString { "a nalu_decompression_session" }
}

extension Reader: HandleObject {
    static var handleNoun: StaticString { "a nalu_reader" }
}

extension Writer: HandleObject {
    static var handleNoun: StaticString { "a nalu_writer" }
}

// What libnalu's handles stand for here; its classes are not known.

extension SampleObject {
    /// With a reference of its own.
    static func required(_ handle: OpaquePointer?) throws(NaluError) -> SampleObject {
        let handle = try unsafe NaluBoundary.required(handle, "sample")
        guard let sample = unsafe SampleObject(retaining: handle) else {
            throw NaluError(.invalidHandle, "sample is no nalu_sample; expected one that is alive")
        }
        return sample
    }
}

extension FormatObject {
    /// With a reference of its own.
    static func required(_ handle: OpaquePointer?) throws(NaluError) -> FormatObject {
        let handle = try unsafe NaluBoundary.required(handle, "format")
        guard let format = unsafe FormatObject(retaining: handle) else {
            throw NaluError(.invalidHandle, "format is no nalu_format_description; expected one that is alive")
        }
        return format
    }
}
