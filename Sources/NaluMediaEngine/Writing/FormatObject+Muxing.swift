internal import CFFmpeg
internal import CNalu
internal import NaluBase
internal import NaluBitstream

/// What a muxer is told of a format description.
extension FormatObject {
    /// Whether decoding can start with the sample, as far as the container's index says: at key frames, and at recovery
    /// points (`NALU_SAMPLE_PARTIAL_SYNC`) that are random access pictures of H.265 (CRA), whose leading pictures every
    /// decoder leaves out then, or begin with an intra slice of H.264, as in open groups of pictures. Where a picture is
    /// refreshed bit by bit, decoding cannot start with one sample.
    func isRandomAccess(_ sample: SampleObject) -> Bool {
        if sample.isKeyFrame { return true }
        guard sample.attachments & UInt32(NALU_SAMPLE_PARTIAL_SYNC) != 0 else { return false }
        var (offset, size) = (0, 0)
        while let unit = unsafe nalu_sample_next_nal(sample.handle, &offset, &size) {
            if isHEVC {
                let type = unsafe unit[0] >> 1 & 63
                if type < 32 { return (16...23).contains(type) }
            } else if unsafe unit[0] & 31 == 1 {
                let start = unsafe try? SliceStart(parsing: UnsafeRawBufferPointer(start: unit, count: size))
                return start?.type.isIntra == true
            }
        }
        return false
    }

    /// How long a frame is shown: as the stream's timing says, else 1/30 s. Streams of variable frame rate count finer units,
    /// of more than 1000 in a second.
    var usualFrameDuration: nalu_time {
        if let info = sequenceInfo, info.num_units_in_tick > 0, info.time_scale > 0,
            let scale = Int32(exactly: info.time_scale), Int64(scale) <= 2000 * Int64(info.num_units_in_tick)
        {
            return nalu_time_make(2 * Int64(info.num_units_in_tick), scale)
        }
        return nalu_time_make(1, 30)
    }

    /// Describes the stream to a muxer.
    func describe(
        _ stream: UnsafeMutablePointer<AVStream>, _ container: Container, setsInBand: Bool
    ) throws(NaluError) {
        guard let info = sequenceInfo, let parameters = unsafe stream.pointee.codecpar else {
            throw NaluError(.unsupportedDataFormat, "format has no sequence parameter set")
        }
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        unsafe parameters.pointee.codec_id = isHEVC ? AV_CODEC_ID_HEVC : AV_CODEC_ID_H264
        if setsInBand {
            unsafe parameters.pointee.codec_tag = isHEVC ? 0x3176_6568 : 0x3363_7661
        } else if isHEVC, container.isBaseMedia {
            // Parameter sets are with the track alone; players of Apple's take no other form.
            unsafe parameters.pointee.codec_tag = 0x3163_7668
        }
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
        if !container.isByteStream {
            let record = record(isComplete: container.isBaseMedia && !setsInBand)
            guard !record.isEmpty, unsafe nalu_ff_set_extradata(parameters, record, record.count) >= 0 else {
                throw NaluError(.allocationFailed, "no memory for the parameter sets")
            }
        }
    }

    /// The avcC or hvcC record; with `isComplete` an hvcC that promises that no parameter set is among the samples, as the
    /// sample entry 'hvc1' demands (ISO/IEC 14496-15 8.4.1).
    func record(isComplete: Bool) -> [UInt8] {
        var size = 0
        let bytes =
            isHEVC
            ? unsafe nalu_format_description_get_hvcc(handle, &size)
            : unsafe nalu_format_description_get_avcc(handle, &size)
        var record = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: size))
        guard isHEVC, isComplete else { return record }
        // 23 bytes, then arrays: type, count, and units after their lengths.
        var offset = 23
        while offset + 3 <= record.count {
            if (32...34).contains(record[offset] & 63) { record[offset] |= 0x80 }
            let count = Int(record[offset + 1]) << 8 | Int(record[offset + 2])
            offset += 3
            for _ in 0..<count where offset + 2 <= record.count {
                offset += 2 + (Int(record[offset]) << 8 | Int(record[offset + 1]))
            }
        }
        return record
    }

    /// Whether a track that was made for the pictures of one format can have those of the other.
    func picturesAreLike(_ other: FormatObject) -> Bool { pictures == other.pictures }

    /// Size, chroma and depth, in words.
    var pictures: String {
        let info = sequenceInfo
        let chroma = [0: "grey", 1: "4:2:0", 2: "4:2:2"][info?.chroma_format_idc ?? 1] ?? "4:4:4"
        return "\(width)x\(height) \(chroma) with \(info?.luma_bit_depth ?? 8) bits"
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
}
