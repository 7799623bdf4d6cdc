// format.h: format descriptions, and the sequence info that they share with bitstream.h.

public import CNalu
internal import Nalu

extension FormatDescription: HandleObject { static var handleNoun: StaticString { "a nalu_format_description" } }

@c @implementation
public func nalu_format_description_create_from_parameter_sets(
    _ count: UInt32, _ parameter_sets: UnsafePointer<UnsafePointer<UInt8>?>?, _ sizes: UnsafePointer<Int>?,
    _ length_size: UInt32, _ format_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("format_out", format_out) { () throws(NaluError) in
        let sets = try unsafe units(
            count, parameter_sets, sizes, 2...286, "count is \(count); expected 2 to 286: up to 31 SPS and 255 PPS")
        return try unsafe FormatDescription(parameterSets: sets, lengthSize: Int(length_size))
    }
}

@c @implementation
public func nalu_format_description_create_from_hevc_parameter_sets(
    _ count: UInt32, _ parameter_sets: UnsafePointer<UnsafePointer<UInt8>?>?, _ sizes: UnsafePointer<Int>?,
    _ length_size: UInt32, _ format_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("format_out", format_out) { () throws(NaluError) in
        let sets = try unsafe units(
            count, parameter_sets, sizes, 3...606,
            "count is \(count); expected 3 to 606: up to 16 VPS, 16 SPS, 64 PPS and 510 SEI")
        return try unsafe FormatDescription(hevcParameterSets: sets, lengthSize: Int(length_size))
    }
}

/// Returns a client's NAL units. `refusal` is the error message for a count outside `counts`.
private func units(
    _ count: UInt32, _ start: UnsafePointer<UnsafePointer<UInt8>?>?, _ sizes: UnsafePointer<Int>?,
    _ counts: ClosedRange<UInt32>, _ refusal: @autoclosure () -> String
) throws(NaluError) -> [UnsafeRawBufferPointer] {
    let pointers = try unsafe required(start, "parameter_sets")
    let sizes = try unsafe required(sizes, "sizes")
    guard counts.contains(count) else { throw NaluError(.badData, refusal()) }
    var sets: [UnsafeRawBufferPointer] = unsafe []
    for index in 0..<Int(count) {
        guard let start = unsafe pointers[index] else {
            throw NaluError(.parameter, "parameter_sets[\(index)] is NULL; expected the address of a NAL unit")
        }
        unsafe sets.append(try bytes(start, sizes[index], "parameter_sets"))
    }
    return unsafe sets
}

@c @implementation
public func nalu_format_description_create_from_hvcc(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ format_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("format_out", format_out) { () throws(NaluError) in
        let start = try unsafe required(start, "bytes")
        return try unsafe FormatDescription(hvcC: bytes(start, size, "bytes"))
    }
}

@c @implementation
public func nalu_format_description_create_from_avcc(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ format_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("format_out", format_out) { () throws(NaluError) in
        let start = try unsafe required(start, "bytes")
        return try unsafe FormatDescription(avcC: bytes(start, size, "bytes"))
    }
}

@c @implementation
public func nalu_format_description_retain(_ format: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(format, FormatDescription.self)
    return unsafe format
}

@c @implementation
public func nalu_format_description_release(_ format: OpaquePointer?) {
    unsafe Handle.release(format, FormatDescription.self)
}

@c @implementation
public func nalu_format_description_equal(_ a: OpaquePointer?, _ b: OpaquePointer?) -> Int32 {
    guard let a = unsafe Handle.object(a, FormatDescription.self),
        let b = unsafe Handle.object(b, FormatDescription.self)
    else { return 0 }
    return a == b ? 1 : 0
}

@c @implementation
public func nalu_format_description_get_codec(_ format: OpaquePointer?) -> nalu_four_char_code {
    unsafe Handle.object(format, FormatDescription.self)?.codec ?? 0
}

@c @implementation
public func nalu_format_description_get_width(_ format: OpaquePointer?) -> Int32 {
    unsafe Int32(clamping: Handle.object(format, FormatDescription.self)?.width ?? 0)
}

@c @implementation
public func nalu_format_description_get_height(_ format: OpaquePointer?) -> Int32 {
    unsafe Int32(clamping: Handle.object(format, FormatDescription.self)?.height ?? 0)
}

@c @implementation
public func nalu_format_description_get_length_size(_ format: OpaquePointer?) -> UInt32 {
    unsafe UInt32(Handle.object(format, FormatDescription.self)?.lengthSize ?? 0)
}

@c @implementation
public func nalu_format_description_get_parameter_set_count(_ format: OpaquePointer?) -> UInt32 {
    unsafe UInt32(Handle.object(format, FormatDescription.self)?.parameterSetCount ?? 0)
}

@c @implementation
public func nalu_format_description_get_parameter_set(
    _ format: OpaquePointer?, _ index: UInt32, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    unsafe lend(Handle.object(format, FormatDescription.self)?.parameterSet(at: Int(index)), size_out)
}

@c @implementation
public func nalu_format_description_get_avcc(
    _ format: OpaquePointer?, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    unsafe lend(Handle.object(format, FormatDescription.self)?.avcC, size_out)
}

@c @implementation
public func nalu_format_description_get_hvcc(
    _ format: OpaquePointer?, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    unsafe lend(Handle.object(format, FormatDescription.self)?.hvcC, size_out)
}

@c @implementation
public func nalu_format_description_get_sequence_info(
    _ format: OpaquePointer?, _ info: UnsafeMutablePointer<nalu_sequence_info>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let format = try unsafe Handle.required(format, "format", FormatDescription.self)
        try format.requireVideo()
        try unsafe GrowableStruct.write(format.sequence.cInfo, to: info, first: nalu_sequence_info.firstSize, "info")
    }
}

@c @implementation
public func nalu_format_description_get_audio_sample_rate(_ format: OpaquePointer?) -> Int32 {
    unsafe Int32(clamping: Handle.object(format, FormatDescription.self)?.audio?.sampleRate ?? 0)
}

@c @implementation
public func nalu_format_description_get_audio_channel_count(_ format: OpaquePointer?) -> Int32 {
    unsafe Int32(clamping: Handle.object(format, FormatDescription.self)?.audio?.channelCount ?? 0)
}

@c @implementation
public func nalu_format_description_get_audio_specific_config(
    _ format: OpaquePointer?, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    unsafe lend(Handle.object(format, FormatDescription.self)?.audioSpecificConfig, size_out)
}

/// Returns the address of bytes that something else retains, and stores their size.
func lend(_ bytes: UnsafeRawBufferPointer?, _ sizeOut: UnsafeMutablePointer<Int>?) -> UnsafePointer<UInt8>? {
    unsafe sizeOut?.pointee = bytes?.count ?? 0
    return unsafe bytes?.baseAddress?.assumingMemoryBound(to: UInt8.self)
}
