internal import CFFmpeg
internal import CNalu

/// A format description that the writer keeps.
@safe
final class TrackFormat {
    let handle: OpaquePointer

    /// Takes a reference. Nil for a pointer that is no format description.
    init?(_ format: OpaquePointer?) {
        guard unsafe nalu_format_description_get_codec(format) != 0,
            let kept = unsafe nalu_format_description_retain(format)
        else { return nil }
        unsafe handle = kept
    }

    deinit {
        unsafe nalu_format_description_release(handle)
    }

    func isSame(as other: OpaquePointer?) -> Bool {
        unsafe handle == other || nalu_format_description_equal(handle, other) == 1
    }

    /// Tells a muxer what the stream is.
    func describe(_ stream: UnsafeMutablePointer<AVStream>, parameterSets: Bool) throws(MediaError) {
        var info = nalu_sequence_info()
        info.struct_size = UInt32(MemoryLayout<nalu_sequence_info>.size)
        let status = unsafe nalu_format_description_get_sequence_info(handle, &info)
        guard status == NALU_STATUS_OK, let parameters = unsafe stream.pointee.codecpar else {
            throw MediaError(NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "format has no sequence parameter set")
        }
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        unsafe parameters.pointee.codec_id = AV_CODEC_ID_H264
        unsafe parameters.pointee.width = info.width
        unsafe parameters.pointee.height = info.height
        unsafe parameters.pointee.profile = info.profile_idc
        unsafe parameters.pointee.level = info.level_idc
        unsafe parameters.pointee.video_delay = max(info.reorder_depth, 0)
        unsafe parameters.pointee.format = Self.pixelFormat(info).rawValue
        // H.264 and FFmpeg number these as ISO/IEC 23091-2 does.
        unsafe parameters.pointee.color_primaries = AVColorPrimaries(UInt32(clamping: info.color_primaries))
        unsafe parameters.pointee.color_trc = AVColorTransferCharacteristic(
            UInt32(clamping: info.transfer_characteristics))
        unsafe parameters.pointee.color_space = AVColorSpace(UInt32(clamping: info.matrix_coefficients))
        unsafe parameters.pointee.color_range = info.video_full_range == 1 ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        let aspect = AVRational(
            num: Int32(clamping: info.pixel_aspect_ratio_horizontal),
            den: Int32(clamping: info.pixel_aspect_ratio_vertical))
        if aspect.num > 0 && aspect.den > 0 {
            unsafe parameters.pointee.sample_aspect_ratio = aspect
            unsafe stream.pointee.sample_aspect_ratio = aspect
        }
        if parameterSets {
            var size = 0
            guard let bytes = unsafe nalu_format_description_get_avcc(handle, &size),
                unsafe nalu_ff_set_extradata(parameters, bytes, size) >= 0
            else { throw MediaError(NALU_STATUS_ALLOCATION_FAILED, "no memory for the parameter sets") }
        }
    }

    /// What players that look no further show; the parameter sets are what counts.
    private static func pixelFormat(_ info: nalu_sequence_info) -> AVPixelFormat {
        let isFull = info.video_full_range == 1
        return switch (info.chroma_format_idc, info.luma_bit_depth) {
        case (1, 8): isFull ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P
        case (1, 10): AV_PIX_FMT_YUV420P10LE
        default: AV_PIX_FMT_NONE
        }
    }

    var width: Int32 { unsafe nalu_format_description_get_width(handle) }
    var height: Int32 { unsafe nalu_format_description_get_height(handle) }
}
