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

    /// Returns whether a codec configuration is a record (`avcC`, `hvcC`) and not in Annex B form.
    func isRecord(_ configuration: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .h264: return unsafe configuration.count >= 7 && configuration[0] == 1
        case .hevc:
            // The records of early files have version 0.
            return unsafe configuration.count >= 23
                && (configuration[0] != 0 || configuration[1] != 0 || configuration[2] > 1)
        }
    }

    /// Returns the size of the length prefixes in bytes (ISO/IEC 14496-15 5.3.3.1 and 8.3.3.1).
    func lengthSize(ofRecord record: UnsafeRawBufferPointer) -> Int {
        unsafe Int(record[self == .h264 ? 4 : 21] & 3) + 1
    }

    /// Returns whether the record has no parameter sets. They are then among the samples (`avc3`, `hev1`).
    func isEmpty(record: UnsafeRawBufferPointer) -> Bool {
        unsafe self == .h264 ? record[5] & 31 == 0 : record[22] == 0
    }
}
