internal import Nalu

/// Parameter sets that come apart from a stream, in the record of an MP4 file, and the size of its lengths.
struct OutsideSets {
    let codec: VideoCodec
    let lengthSize: Int
    let units: [[UInt8]]

    init(_ record: AVCConfiguration) {
        codec = .h264
        lengthSize = record.lengthSize
        units = record.sequenceParameterSets + record.pictureParameterSets
    }

    init(_ record: HEVCConfiguration) {
        codec = .h265
        lengthSize = record.lengthSize
        units = record.arrays.flatMap(\.units)
    }

    /// Those of a track; nil where its samples have them all.
    init?(_ format: FormatDescription) throws(NaluError) {
        if let record = format.avcCBytes {
            self.init(try AVCConfiguration(reading: record))
        } else if let record = format.hvcCBytes {
            self.init(try HEVCConfiguration(reading: record))
        } else {
            return nil
        }
    }
}
