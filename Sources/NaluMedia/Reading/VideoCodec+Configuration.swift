internal import CFFmpeg
internal import NaluBitstream

extension VideoCodec {
    init?(_ id: AVCodecID) {
        switch id {
        case AV_CODEC_ID_H264: self = .h264
        case AV_CODEC_ID_HEVC: self = .hevc
        default: return nil
        }
    }

    var id: AVCodecID { self == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC }

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
    func lengthSize(ofRecord record: UnsafeRawBufferPointer) -> Int {
        unsafe Int(record[self == .h264 ? 4 : 21] & 3) + 1
    }

    /// Whether the record says that it has no parameter sets: they are among the samples then (`avc3`, `hev1`).
    func isEmpty(record: UnsafeRawBufferPointer) -> Bool {
        unsafe self == .h264 ? record[5] & 31 == 0 : record[22] == 0
    }
}
