internal import CFFmpeg
internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// The description of a format for a muxer.
extension FormatDescription {
    /// The codec's name in error messages.
    var codecName: String { audio != nil ? "AAC" : isHEVC ? "H.265" : "H.264" }

    /// Returns whether the container's index marks the sample as a start for decoding. Key frames are marked, and some
    /// recovery points (`NALU_SAMPLE_PARTIAL_SYNC`):
    /// - random access pictures of H.265 (CRA), whose leading pictures every decoder then leaves out;
    /// - pictures of H.264 that begin with an intra slice, as in open groups of pictures.
    ///
    /// With gradual (intra) refresh, decoding cannot start with a single sample.
    func isRandomAccess(_ sample: Sample) -> Bool {
        if sample.isKeyFrame { return true }
        guard sample.attachments.contains(.partialSync) else { return false }
        return sample.firstResult { unit in
            if isHEVC {
                let type = unit[0] >> 1 & 63
                return type < 32 ? (16...23).contains(type) : nil
            }
            return unit[0] & 31 == 1 ? (try? SliceStart(parsing: unit))?.type.isIntra == true : nil
        } ?? false
    }

    /// The usual display time of a frame, according to the stream's timing; 1/30 s if the stream has none. Streams of
    /// variable frame rate count units finer than 1/1000 s, which are no frame durations.
    var usualFrameDuration: MediaTime {
        if sequence.unitsInTick > 0, sequence.timeScale > 0, let scale = Int32(exactly: sequence.timeScale),
            Int64(scale) <= 2000 * Int64(sequence.unitsInTick)
        {
            return MediaTime(value: 2 * Int64(sequence.unitsInTick), timescale: scale)
        }
        return MediaTime(value: 1, timescale: 30)
    }

    /// Describes the stream to a muxer. Throws if there is no memory.
    func describe(
        _ stream: ContainerStream, _ container: OutputFormat, parameterSetsInBand: Bool
    ) throws(NaluError) {
        let parameters = stream.parameters
        parameters.codec_type = AVMEDIA_TYPE_VIDEO
        parameters.codec_id = isHEVC ? AV_CODEC_ID_HEVC : AV_CODEC_ID_H264
        if parameterSetsInBand {
            parameters.codec_tag = isHEVC ? 0x3176_6568 : 0x3363_7661
        } else if isHEVC, container.isBaseMedia {
            // With 'hvc1' the parameter sets are only in the sample entry. Apple's players accept no other form.
            parameters.codec_tag = 0x3163_7668
        }
        parameters.describe(sequence)
        let aspect = AVRational(
            num: Int32(clamping: sequence.pixelAspectRatioHorizontal),
            den: Int32(clamping: sequence.pixelAspectRatioVertical))
        if aspect.num > 0 && aspect.den > 0 {
            parameters.sample_aspect_ratio = aspect
            stream.sample_aspect_ratio = aspect
        }
        if !container.isByteStream {
            guard parameters.set(configuration: record(isComplete: container.isBaseMedia && !parameterSetsInBand))
            else {
                throw NaluError(.allocationFailed, "no memory for the parameter sets")
            }
        }
    }

    /// Returns the avcC or hvcC record. With `isComplete`, an hvcC states that no parameter set is among the samples,
    /// as the sample entry 'hvc1' requires (ISO/IEC 14496-15 8.4.1).
    func record(isComplete: Bool) -> [UInt8] {
        var record = unsafe [UInt8](record)
        guard isHEVC, isComplete else { return record }
        // An hvcC has 23 bytes, and then arrays: the type, the count, and the NAL units, each after its length.
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

    /// Returns whether a track for pictures of this format can also contain those of `other`.
    func picturesAreLike(_ other: FormatDescription) -> Bool { pictures == other.pictures }

    /// The size, chroma format and bit depth for error messages.
    var pictures: String {
        let chroma = [0: "grey", 1: "4:2:0", 2: "4:2:2"][sequence.chromaFormatIDC] ?? "4:4:4"
        return "\(width)x\(height) \(chroma) with \(sequence.lumaBitDepth) bits"
    }
}
