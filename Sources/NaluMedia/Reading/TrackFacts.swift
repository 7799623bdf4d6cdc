internal import CFFmpeg
package import Nalu
private import NaluLibc

/// The properties of a track that the file states.
package struct TrackFacts: Sendable {
    /// True for video whose samples can be read.
    package var isReadable = false
    package var isSelected = false
    /// True if the file marks the track to be played by default.
    package var isDefault = false
    /// True if the samples of the track are encrypted.
    package var isEncrypted = false
    /// True for a file that Matroska stores beside the tracks, such as a font.
    package var isAttachment = false
    /// The media type: 'vide', 'soun', 'sbtl' or 'data'.
    package var mediaType: UInt32 = 0x6461_7461
    /// The codec: 'avc1' or 'hvc1'; for other tracks the container's own tag, or 0.
    package var codec: UInt32 = 0
    /// FFmpeg's number of the codec.
    var codecID = AV_CODEC_ID_NONE
    package var width: Int32 = 0
    package var height: Int32 = 0
    package var transform = DisplayTransform()
    package var pixelAspect: (horizontal: Int32, vertical: Int32) = (1, 1)
    /// The number of units per second in the track's times.
    package var timescale: Int32 = 0
    package var startTime = MediaTime.invalid
    package var duration = MediaTime.invalid
    package var nominalFrameRate = 0.0
    package var bitRate: Int64 = 0
    package var sampleCount: UInt64 = 0
    package var sampleRate: UInt32 = 0
    package var channelCount: UInt32 = 0
    /// The language as an ISO 639-2 code.
    package var language = "und"

    init() {}

    /// FFmpeg's name of the codec.
    package var codecName: String { FFmpegText.name(codecID) }

    /// ``codecName`` as a C string in static storage.
    package var codecNamePointer: UnsafePointer<CChar>? { unsafe avcodec_get_name(codecID) }

    /// Collects the properties that libavformat reports.
    init(_ stream: ContainerStream) {
        let parameters = stream.parameters
        let disposition = stream.disposition
        isDefault = disposition & AV_DISPOSITION_DEFAULT != 0
        codecID = parameters.codec_id
        codec = parameters.codec_tag.byteSwapped
        switch parameters.codec_type {
        case AVMEDIA_TYPE_VIDEO:
            // A cover is a picture that is not part of the video.
            mediaType = disposition & AV_DISPOSITION_ATTACHED_PIC != 0 ? mediaType : 0x7669_6465
            // Sizes in Matroska have 64 bits, of which libavformat uses the lower ones.
            (width, height) = (max(0, parameters.width), max(0, parameters.height))
            if let matrix = stream.matrix { transform = DisplayTransform(matrix: matrix) }
            takeAspect(stream.sample_aspect_ratio)
            takeAspect(parameters.sample_aspect_ratio)
        case AVMEDIA_TYPE_AUDIO:
            mediaType = 0x736F_756E
            sampleRate = UInt32(clamping: parameters.sample_rate)
            channelCount = UInt32(clamping: parameters.ch_layout.nb_channels)
        case AVMEDIA_TYPE_SUBTITLE: mediaType = 0x7362_746C
        case AVMEDIA_TYPE_ATTACHMENT: isAttachment = true
        default: break
        }
        let base = TimeBase(stream.time_base)
        timescale = base.denominator
        // All ones mean an unknown duration (ISO/IEC 14496-12, 8.4.2).
        if stream.duration > 0 && stream.duration != 0xFFFF_FFFF {
            duration = base.time(stream.duration)
        }
        let rate = stream.avg_frame_rate
        if mediaType == 0x7669_6465 && rate.num > 0 && rate.den > 0 {
            nominalFrameRate = Double(rate.num) / Double(rate.den)
        }
        // A bit rate that is computed from an unknown duration is not known either.
        bitRate = stream.duration == 0xFFFF_FFFF ? 0 : max(0, parameters.bit_rate)
        sampleCount = UInt64(clamping: stream.nb_frames)
        if let text = stream.tag("language"), text.utf8.count == 3 { language = text }
    }

    private mutating func takeAspect(_ aspect: AVRational) {
        if pixelAspect == (1, 1) && aspect.num > 0 && aspect.den > 0 {
            pixelAspect = (aspect.num, aspect.den)
        }
    }

    /// Replaces the audio properties of the container with those that the audio itself states.
    mutating func take(_ audio: AudioHeader) {
        codecID = audio.codecID
        sampleRate = audio.sampleRate
        if audio.channelCount > 0 { channelCount = audio.channelCount }
    }

    /// True if the codec is known. Some formats have tracks whose codec only their packets show.
    var isKnown: Bool { codecID != AV_CODEC_ID_NONE && codecID != AV_CODEC_ID_BIN_DATA }

    /// Applies the properties that libavformat has found since.
    mutating func update(_ stream: ContainerStream) {
        guard !isReadable else { return }
        if !isKnown {
            let now = TrackFacts(stream)
            (codecID, codec, mediaType) = (now.codecID, now.codec, now.mediaType)
            (sampleRate, channelCount) = (now.sampleRate, now.channelCount)
        }
        guard codecID == AV_CODEC_ID_AAC,
            let audio = AudioHeader(configuration: stream.parameters.configuration)
        else { return }
        take(audio)
    }

    /// Applies the properties that the parameter sets state, which decoders follow.
    ///
    /// - Parameters:
    ///   - seen: the frame rate by the times of the first samples; 0 if there are none.
    ///   - isSeenExactly: whether the container states the time of each sample.
    mutating func take(_ format: FormatDescription?, seen: Double = 0, isSeenExactly: Bool = false) {
        guard let format else { return }
        (width, height) = (Int32(clamping: format.width), Int32(clamping: format.height))
        let info = format.sequence
        takeAspect(
            AVRational(
                num: Int32(clamping: info.pixelAspectRatioHorizontal),
                den: Int32(clamping: info.pixelAspectRatioVertical)))
        guard nominalFrameRate == 0 else { return }
        if info.unitsInTick > 0 && info.timeScale > 0 {
            nominalFrameRate = Double(info.timeScale) / (2 * Double(info.unitsInTick))
        }
        // Streams without a constant rate, and some with one, have ticks that are finer than frames.
        let ticksAreFiner = nominalFrameRate > Self.highestRate
        if ticksAreFiner { nominalFrameRate = 0 }
        if (isSeenExactly || ticksAreFiner) && seen > 0 && seen <= Self.highestRate
            && abs(nominalFrameRate / seen - 1) > 0.05
        {
            nominalFrameRate = abs(seen.rounded() / seen - 1) < 0.005 ? seen.rounded() : seen
        }
    }

    /// The most frames per second of any level (ITU-T H.264 A.3.4 and H.265 A.4.2, fR).
    private static let highestRate = 300.0
}

/// The placement of a displayed picture: a b c d tx ty of CGAffineTransform.
package struct DisplayTransform: Sendable {
    package var a = 1.0
    package var b = 0.0
    package var c = 0.0
    package var d = 1.0
    package var tx = 0.0
    package var ty = 0.0

    init() {}

    /// Converts the matrix of ISO/IEC 14496-12 8.3.2, whose numbers are fixed-point with 16.16 bits.
    init(matrix: [Int32]) {
        let one = 65536.0
        (a, b) = (Double(matrix[0]) / one, Double(matrix[1]) / one)
        (c, d) = (Double(matrix[3]) / one, Double(matrix[4]) / one)
        (tx, ty) = (Double(matrix[6]) / one, Double(matrix[7]) / one)
    }

    /// True if the picture is flipped from left to right before it is rotated.
    package var isMirrored: Bool { a * d - b * c < 0 }

    /// The clockwise rotation that follows the flip, in degrees: 0, 90, 180 or 270.
    package var rotation: Int32 {
        let sign = isMirrored ? -1.0 : 1.0
        let quarters = (atan2(sign * b, sign * a) / (.pi / 2)).rounded()
        guard quarters.isFinite else { return 0 }
        return (Int32(quarters) + 4) % 4 * 90
    }
}
