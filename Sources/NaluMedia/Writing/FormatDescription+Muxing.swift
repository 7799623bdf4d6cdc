internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// What a muxer is told of a format description.
extension FormatDescription {
    /// Whether decoding can start with the sample, as far as the container's index says: at key frames, and at recovery
    /// points (`NALU_SAMPLE_PARTIAL_SYNC`) that are random access pictures of H.265 (CRA), whose leading pictures every
    /// decoder leaves out then, or begin with an intra slice of H.264, as in open groups of pictures. Where a picture is
    /// refreshed bit by bit, decoding cannot start with one sample.
    func isRandomAccess(_ sample: Sample) -> Bool {
        if sample.isKeyFrame { return true }
        guard sample.attachments.contains(.partialSync) else { return false }
        var offset = 0
        while let unit = unsafe sample.nextNALUnit(offset: &offset) {
            if isHEVC {
                let type = unsafe unit[0] >> 1 & 63
                if type < 32 { return (16...23).contains(type) }
            } else if unsafe unit[0] & 31 == 1 {
                let start = unsafe try? SliceStart(parsing: unit)
                return start?.type.isIntra == true
            }
        }
        return false
    }

    /// How long a frame is shown: as the stream's timing says, else 1/30 s. Streams of variable frame rate count finer units,
    /// of more than 1000 in a second.
    var usualFrameDuration: MediaTime {
        if sequence.unitsInTick > 0, sequence.timeScale > 0, let scale = Int32(exactly: sequence.timeScale),
            Int64(scale) <= 2000 * Int64(sequence.unitsInTick)
        {
            return MediaTime(value: 2 * Int64(sequence.unitsInTick), timescale: scale)
        }
        return MediaTime(value: 1, timescale: 30)
    }

    /// Describes the stream to a muxer.
    func describe(
        _ stream: ContainerStream, _ container: OutputFormat, setsInBand: Bool
    ) throws(NaluError) {
        let parameters = stream.parameters
        parameters.type = AVMEDIA_TYPE_VIDEO
        parameters.codecID = isHEVC ? AV_CODEC_ID_HEVC : AV_CODEC_ID_H264
        if setsInBand {
            parameters.tag = isHEVC ? 0x3176_6568 : 0x3363_7661
        } else if isHEVC, container.isBaseMedia {
            // Parameter sets are with the track alone; players of Apple's take no other form.
            parameters.tag = 0x3163_7668
        }
        parameters.describe(sequence)
        let aspect = AVRational(
            num: Int32(clamping: sequence.pixelAspectRatioHorizontal),
            den: Int32(clamping: sequence.pixelAspectRatioVertical))
        if aspect.num > 0 && aspect.den > 0 {
            parameters.set(sampleAspectRatio: aspect)
            stream.sampleAspectRatio = aspect
        }
        if !container.isByteStream {
            guard parameters.set(configuration: record(isComplete: container.isBaseMedia && !setsInBand)) else {
                throw NaluError(.allocationFailed, "no memory for the parameter sets")
            }
        }
    }

    /// The avcC or hvcC record; with `isComplete` an hvcC that promises that no parameter set is among the samples, as the
    /// sample entry 'hvc1' demands (ISO/IEC 14496-15 8.4.1).
    func record(isComplete: Bool) -> [UInt8] {
        var record = unsafe [UInt8](record)
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
    func picturesAreLike(_ other: FormatDescription) -> Bool { pictures == other.pictures }

    /// Size, chroma and depth, in words.
    var pictures: String {
        let chroma = [0: "grey", 1: "4:2:0", 2: "4:2:2"][sequence.chromaFormatIDC] ?? "4:4:4"
        return "\(width)x\(height) \(chroma) with \(sequence.lumaBitDepth) bits"
    }
}
