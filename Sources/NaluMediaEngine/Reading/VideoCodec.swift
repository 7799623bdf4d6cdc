internal import CFFmpeg
internal import CNalu

/// The codecs whose samples are read.
enum VideoCodec {
    case h264, hevc

    init?(_ id: AVCodecID) {
        switch id {
        case AV_CODEC_ID_H264: self = .h264
        case AV_CODEC_ID_HEVC: self = .hevc
        default: return nil
        }
    }

    /// NALU_CODEC_H264, NALU_CODEC_HEVC.
    var code: nalu_four_char_code { self == .h264 ? 0x6176_6331 : 0x6876_6331 }

    var id: AVCodecID { self == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC }

    /// SPS and PPS, of H.265 those of the base layer and VPS.
    func isParameterSet(_ unit: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .h264: return unsafe unit.count > 1 && [7, 8].contains(unit[0] & 31)
        case .hevc:
            return unsafe unit.count > 2 && (32...34).contains(unit[0] >> 1 & 63) && unit[0] & 1 == 0
                && unit[1] >> 3 == 0
        }
    }

    /// Whether a codec configuration is a record (`avcC`, `hvcC`), and not Annex B.
    func isRecord(_ configuration: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .h264: return unsafe configuration.count >= 7 && configuration[0] == 1
        case .hevc:
            // Early files have version 0.
            return unsafe configuration.count >= 23
                && (configuration[0] != 0 || configuration[1] != 0 || configuration[2] > 1)
        }
    }

    /// ISO/IEC 14496-15 5.3.3.1 and 8.3.3.1: bytes of the length prefixes.
    func lengthSize(ofRecord record: UnsafeRawBufferPointer) -> UInt32 {
        unsafe UInt32(record[self == .h264 ? 4 : 21] & 3) + 1
    }

    /// Whether the record says that it has no parameter sets: they are among the samples then (`avc3`, `hev1`).
    func isEmpty(record: UnsafeRawBufferPointer) -> Bool {
        unsafe self == .h264 ? record[5] & 31 == 0 : record[22] == 0
    }
}
