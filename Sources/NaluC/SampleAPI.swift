// sample.h: every getter accepts NULL, because a dropped frame has no sample.

public import CNalu
internal import Nalu

extension Sample: HandleObject { static var handleNoun: StaticString { "a nalu_sample" } }

private func sample(_ handle: OpaquePointer?) -> Sample? {
    unsafe Handle.object(handle, Sample.self)
}

@c @implementation
public func nalu_sample_create(
    _ data: UnsafePointer<UInt8>?, _ size: Int, _ format: OpaquePointer?, _ presentation_time: nalu_time,
    _ duration: nalu_time, _ decode_time: nalu_time, _ attachments: UInt32,
    _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("sample_out", sample_out) { () throws(NaluError) in
        let data = try unsafe bytes(data, size, "bytes")
        let format = try unsafe Handle.required(format, "format", FormatDescription.self)
        return unsafe try Sample(
            copying: data, formatDescription: format, presentationTime: MediaTime(presentation_time),
            duration: MediaTime(duration), decodeTime: MediaTime(decode_time),
            attachments: SampleAttachments(rawValue: attachments))
    }
}

@c @implementation
public func nalu_sample_create_with_bytes(
    _ data: UnsafePointer<UInt8>?, _ size: Int, _ release_callback: nalu_sample_release_callback?,
    _ release_refcon: UnsafeMutableRawPointer?, _ format: OpaquePointer?, _ presentation_time: nalu_time,
    _ duration: nalu_time, _ decode_time: nalu_time, _ attachments: UInt32,
    _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("sample_out", sample_out) { () throws(NaluError) in
        let data = try unsafe bytes(data, size, "bytes")
        let format = try unsafe Handle.required(format, "format", FormatDescription.self)
        return unsafe try Sample(
            wrapping: data, release: release_callback, refcon: release_refcon, formatDescription: format,
            presentationTime: MediaTime(presentation_time), duration: MediaTime(duration),
            decodeTime: MediaTime(decode_time), attachments: SampleAttachments(rawValue: attachments))
    }
}

@c @implementation
public func nalu_sample_retain(_ handle: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(handle, Sample.self)
    return unsafe handle
}

@c @implementation
public func nalu_sample_release(_ handle: OpaquePointer?) {
    unsafe Handle.release(handle, Sample.self)
}

@c @implementation
public func nalu_sample_get_format_description(_ handle: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.lent(sample(handle)?.formatDescription)
}

@c @implementation
public func nalu_sample_get_data(
    _ handle: OpaquePointer?, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    unsafe lend(sample(handle)?.data, size_out)
}

@c @implementation
public func nalu_sample_get_nal_count(_ handle: OpaquePointer?) -> UInt32 {
    unsafe UInt32(clamping: sample(handle)?.nalUnitCount ?? 0)
}

@c @implementation
public func nalu_sample_next_nal(
    _ handle: OpaquePointer?, _ offset: UnsafeMutablePointer<Int>?, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    guard let offset = unsafe offset else { return unsafe lend(nil, size_out) }
    return unsafe lend(sample(handle)?.nextNALUnit(offset: &offset.pointee), size_out)
}

@c @implementation
public func nalu_sample_get_nal(
    _ handle: OpaquePointer?, _ index: UInt32, _ size_out: UnsafeMutablePointer<Int>?
) -> UnsafePointer<UInt8>? {
    unsafe lend(sample(handle)?.nalUnit(at: Int(index)), size_out)
}

@c @implementation
public func nalu_sample_copy_annex_b(
    _ handle: OpaquePointer?, _ parameter_sets: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let sample = try unsafe Handle.required(handle, "sample", Sample.self)
        guard let sets = Sample.ParameterSets(rawValue: parameter_sets) else {
            throw NaluError(
                .parameter, "parameter_sets is \(parameter_sets); expected one of the NALU_ANNEX_B_ constants")
        }
        try sample.formatDescription.requireVideo()
        let needed = sample.annexBSize(parameterSets: sets)
        try unsafe fill(buffer, capacity, size_out, needed: needed) { target throws(NaluError) in
            _ = try unsafe sample.writeAnnexB(parameterSets: sets, into: UnsafeMutableRawBufferPointer(target))
        }
    }
}

@c @implementation
public func nalu_sample_get_presentation_time(_ handle: OpaquePointer?) -> nalu_time {
    unsafe (sample(handle)?.presentationTime ?? .invalid).cTime
}

@c @implementation
public func nalu_sample_get_duration(_ handle: OpaquePointer?) -> nalu_time {
    unsafe (sample(handle)?.duration ?? .invalid).cTime
}

@c @implementation
public func nalu_sample_get_decode_time(_ handle: OpaquePointer?) -> nalu_time {
    unsafe (sample(handle)?.decodeTime ?? .invalid).cTime
}

@c @implementation
public func nalu_sample_get_attachments(_ handle: OpaquePointer?) -> UInt32 {
    unsafe sample(handle)?.attachments.rawValue ?? 0
}

@c @implementation
public func nalu_sample_is_key_frame(_ handle: OpaquePointer?) -> Int32 {
    unsafe sample(handle)?.isKeyFrame == true ? 1 : 0
}

@c @implementation
public func nalu_sample_get_average_qp(_ handle: OpaquePointer?) -> Double {
    unsafe sample(handle)?.averageQP ?? .nan
}

@c @implementation
public func nalu_sample_get_ltr_acknowledgement_token(_ handle: OpaquePointer?) -> Int64 {
    unsafe sample(handle)?.ltrAcknowledgementToken ?? -1
}

@c @implementation
public func nalu_sample_get_ltr_reference_token(_ handle: OpaquePointer?) -> Int64 {
    unsafe sample(handle)?.ltrReferenceToken ?? -1
}

@c @implementation
public func nalu_sample_get_frame_refcon(_ handle: OpaquePointer?) -> UnsafeMutableRawPointer? {
    unsafe sample(handle)?.frameRefcon
}

@c @implementation
public func nalu_sample_get_quality_metrics(
    _ handle: OpaquePointer?, _ metrics: UnsafeMutablePointer<nalu_quality_metrics>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let sample = try unsafe Handle.required(handle, "sample", Sample.self)
        _ = try unsafe GrowableStruct.check(metrics, "metrics")
        guard let quality = sample.qualityMetrics else {
            throw NaluError(
                .valueNotAvailable,
                "the sample has no quality metrics: set CalculateMeanSquaredError before the first frame")
        }
        try unsafe GrowableStruct.write(
            nalu_quality_metrics(
                struct_size: 0, reserved: 0, luma_mean_squared_error: quality.lumaMeanSquaredError,
                chroma_blue_mean_squared_error: quality.chromaBlueMeanSquaredError,
                chroma_red_mean_squared_error: quality.chromaRedMeanSquaredError, luma_psnr: quality.lumaPSNR,
                chroma_blue_psnr: quality.chromaBluePSNR, chroma_red_psnr: quality.chromaRedPSNR,
                average_psnr: quality.averagePSNR, ssim: quality.ssim), to: metrics, "metrics")
    }
}
