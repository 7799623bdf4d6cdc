// bitstream.h: reading bytes that may come from anywhere.

public import CNalu
internal import Nalu

extension nalu_sequence_info {
    /// The size of the first version, which ended before `chroma_location`.
    static let firstSize = 120
}

extension SequenceParameterSet {
    var cInfo: nalu_sequence_info {
        nalu_sequence_info(
            struct_size: 0, profile_idc: Int32(profileIDC), constraint_flags: Int32(constraintFlags),
            level_idc: Int32(levelIDC), chroma_format_idc: Int32(chromaFormatIDC), luma_bit_depth: Int32(lumaBitDepth),
            chroma_bit_depth: Int32(chromaBitDepth), coded_width: Int32(codedWidth), coded_height: Int32(codedHeight),
            width: Int32(width), height: Int32(height), crop_left: Int32(cropLeft), crop_top: Int32(cropTop),
            crop_right: Int32(cropRight), crop_bottom: Int32(cropBottom), frame_mbs_only: frameMbsOnly ? 1 : 0,
            max_num_ref_frames: Int32(maxReferenceFrames), pic_order_cnt_type: Int32(picOrderCountType),
            pixel_aspect_ratio_horizontal: Int32(pixelAspectRatioHorizontal),
            pixel_aspect_ratio_vertical: Int32(pixelAspectRatioVertical), video_full_range: isFullRange ? 1 : 0,
            color_primaries: Int32(colorPrimaries), transfer_characteristics: Int32(transferCharacteristics),
            matrix_coefficients: Int32(matrixCoefficients), fixed_frame_rate: hasFixedFrameRate ? 1 : 0,
            reorder_depth: Int32(reorderDepth ?? -1), max_dec_frame_buffering: Int32(maxDecodedFrameBuffering ?? -1),
            time_scale: timeScale, num_units_in_tick: unitsInTick, nal_hrd: hasNALHRD ? 1 : 0,
            chroma_location: Int32(chromaLocation ?? -1))
    }
}

/// Performs one step of a walk. `find` returns the next NAL unit.
private func step(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ offset: UnsafeMutablePointer<Int>?,
    _ nalOut: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ sizeOut: UnsafeMutablePointer<Int>?,
    _ find: (UnsafeRawBufferPointer, inout Int) throws(NaluError) -> UnsafeRawBufferPointer?
) -> nalu_status {
    unsafe nalOut?.pointee = nil
    unsafe sizeOut?.pointee = 0
    return attempt { () throws(NaluError) in
        let offset = try unsafe required(offset, "offset")
        let nalOut = try unsafe required(nalOut, "nal_out")
        let sizeOut = try unsafe required(sizeOut, "nal_size_out")
        let stream = try unsafe bytes(start, size, "bytes")
        guard unsafe (0...stream.count).contains(offset.pointee) else {
            throw unsafe NaluError(
                .parameter, "*offset is \(UInt(bitPattern: offset.pointee)); expected at most size, \(size)")
        }
        guard let unit = try unsafe find(stream, &offset.pointee) else {
            throw NaluError(.valueNotAvailable, "there is no further NAL unit")
        }
        unsafe nalOut.pointee = unit.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe sizeOut.pointee = unit.count
    }
}

@c @implementation
public func nalu_annex_b_next(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ offset: UnsafeMutablePointer<Int>?,
    _ nal_out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ nal_size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    unsafe step(start, size, offset, nal_out, nal_size_out) { stream, offset throws(NaluError) in
        try unsafe AnnexB.next(in: stream, offset: &offset)
    }
}

@c @implementation
public func nalu_length_prefixed_next(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ length_size: UInt32, _ offset: UnsafeMutablePointer<Int>?,
    _ nal_out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ nal_size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    unsafe step(start, size, offset, nal_out, nal_size_out) { stream, offset throws(NaluError) in
        try unsafe LengthPrefixed.next(in: stream, lengthSize: Int(length_size), offset: &offset)
    }
}

/// Rewrites a stream into a client's buffer, and reports the needed size in any case.
private func rewrite(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ sizeOut: UnsafeMutablePointer<Int>?,
    _ convert: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer, inout Int) throws(NaluError) -> Void
) -> nalu_status {
    attempt { () throws(NaluError) in
        let sizeOut = try unsafe required(sizeOut, "size_out")
        let stream = try unsafe bytes(start, size, "bytes")
        let target = try unsafe room(buffer, capacity)
        unsafe sizeOut.pointee = 0
        try unsafe convert(stream, UnsafeMutableRawBufferPointer(target), &sizeOut.pointee)
    }
}

@c @implementation
public func nalu_annex_b_to_length_prefixed(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ length_size: UInt32, _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int, _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    unsafe rewrite(start, size, buffer, capacity, size_out) { stream, target, needed throws(NaluError) in
        try unsafe AnnexB.toLengthPrefixed(stream, lengthSize: Int(length_size), into: target, needed: &needed)
    }
}

@c @implementation
public func nalu_length_prefixed_to_annex_b(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ length_size: UInt32, _ buffer: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int, _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    unsafe rewrite(start, size, buffer, capacity, size_out) { stream, target, needed throws(NaluError) in
        try unsafe LengthPrefixed.toAnnexB(stream, lengthSize: Int(length_size), into: target, needed: &needed)
    }
}

@c @implementation
public func nalu_parse_sequence_parameter_set(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ info: UnsafeMutablePointer<nalu_sequence_info>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let unit = try unsafe bytes(required(start, "bytes"), size, "bytes")
        let sequence = try unsafe SequenceParameterSet(parsing: unit)
        try unsafe GrowableStruct.write(sequence.cInfo, to: info, first: nalu_sequence_info.firstSize, "info")
    }
}

@c @implementation
public func nalu_parse_hevc_sequence_parameter_set(
    _ start: UnsafePointer<UInt8>?, _ size: Int, _ info: UnsafeMutablePointer<nalu_sequence_info>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let unit = try unsafe bytes(required(start, "bytes"), size, "bytes")
        let sequence = try unsafe HEVCSequenceParameterSet(parsing: unit).common
        try unsafe GrowableStruct.write(sequence.cInfo, to: info, first: nalu_sequence_info.firstSize, "info")
    }
}
