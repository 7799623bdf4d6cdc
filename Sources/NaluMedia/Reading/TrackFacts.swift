internal import CFFmpeg
package import Nalu
private import NaluLibc

/// What a file says of one of its tracks.
package struct TrackFacts: Sendable {
    /// Video of a codec that gives samples.
    package var isReadable = false
    package var isSelected = false
    /// The file says that it is played by default.
    package var isDefault = false
    /// Its samples are encrypted.
    package var isEncrypted = false
    /// 'vide', 'soun', 'sbtl' or 'data'.
    package var mediaType: UInt32 = 0x6461_7461
    /// 'avc1'; for other tracks the container's own tag, or 0.
    package var codec: UInt32 = 0
    /// FFmpeg's number of the codec.
    var codecID = AV_CODEC_ID_NONE
    package var width: Int32 = 0
    package var height: Int32 = 0
    package var transform = DisplayTransform()
    package var pixelAspect: (horizontal: Int32, vertical: Int32) = (1, 1)
    /// Units a second.
    package var timescale: Int32 = 0
    package var startTime = MediaTime.invalid
    package var duration = MediaTime.invalid
    package var nominalFrameRate = 0.0
    package var bitRate: Int64 = 0
    package var sampleCount: UInt64 = 0
    package var sampleRate: UInt32 = 0
    package var channelCount: UInt32 = 0
    /// ISO 639-2.
    package var language = "und"

    init() {}

    /// FFmpeg's name of the codec.
    package var codecName: String { unsafe codecNamePointer.map { unsafe String(cString: $0) } ?? "" }

    /// The same in static storage.
    package var codecNamePointer: UnsafePointer<CChar>? { unsafe avcodec_get_name(codecID) }

    /// From what libavformat knows.
    init(_ stream: ContainerStream) {
        let parameters = stream.parameters
        let disposition = stream.disposition
        isDefault = disposition & AV_DISPOSITION_DEFAULT != 0
        codecID = parameters.codecID
        codec = parameters.tag.byteSwapped
        switch parameters.type {
        case AVMEDIA_TYPE_VIDEO:
            // A cover is a picture apart from the film.
            mediaType = disposition & AV_DISPOSITION_ATTACHED_PIC != 0 ? mediaType : 0x7669_6465
            // Matroska has sizes of 64 bits, of which libavformat takes the lower ones.
            (width, height) = (max(0, parameters.width), max(0, parameters.height))
            if let matrix = unsafe nalu_ff_get_matrix(stream.pointer) {
                unsafe transform = DisplayTransform(matrix: matrix)
            }
            takeAspect(stream.sampleAspectRatio)
            takeAspect(parameters.sampleAspectRatio)
        case AVMEDIA_TYPE_AUDIO:
            mediaType = 0x736F_756E
            sampleRate = UInt32(clamping: parameters.sampleRate)
            channelCount = UInt32(clamping: parameters.channelCount)
        case AVMEDIA_TYPE_SUBTITLE: mediaType = 0x7362_746C
        default: break
        }
        let base = TimeBase(stream.timeBase)
        timescale = base.denominator
        // All ones: not known (ISO/IEC 14496-12, 8.4.2).
        if stream.duration > 0 && stream.duration != 0xFFFF_FFFF {
            duration = base.time(stream.duration)
        }
        let rate = stream.averageFrameRate
        if mediaType == 0x7669_6465 && rate.num > 0 && rate.den > 0 {
            nominalFrameRate = Double(rate.num) / Double(rate.den)
        }
        // What is worked out with an unknown duration is not known either.
        bitRate = stream.duration == 0xFFFF_FFFF ? 0 : max(0, parameters.bitRate)
        sampleCount = UInt64(clamping: stream.frameCount)
        if let text = stream.tag("language"), text.utf8.count == 3 { language = text }
    }

    private mutating func takeAspect(_ aspect: AVRational) {
        if pixelAspect == (1, 1) && aspect.num > 0 && aspect.den > 0 {
            pixelAspect = (aspect.num, aspect.den)
        }
    }

    /// What sound says of itself, over what a container without facts of its own says.
    mutating func take(_ sound: SoundHeader) {
        codecID = sound.codecID
        sampleRate = sound.sampleRate
        if sound.channelCount > 0 { channelCount = sound.channelCount }
    }

    /// Some formats have tracks that only their packets show for what they are.
    var isKnown: Bool { codecID != AV_CODEC_ID_NONE && codecID != AV_CODEC_ID_BIN_DATA }

    /// What libavformat has found out since.
    mutating func update(_ stream: ContainerStream) {
        guard !isReadable else { return }
        if !isKnown {
            let now = TrackFacts(stream)
            (codecID, codec, mediaType) = (now.codecID, now.codec, now.mediaType)
            (sampleRate, channelCount) = (now.sampleRate, now.channelCount)
        }
        guard codecID == AV_CODEC_ID_AAC,
            let sound = unsafe SoundHeader(
                configuration: stream.parameters.configuration)
        else { return }
        take(sound)
    }

    /// What the parameter sets say, which counts for decoders.
    ///
    /// - Parameter seen: the frame rate by the times of the first samples; 0 where there are none.
    mutating func take(_ format: FormatDescription?, seen: Double = 0) {
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
        // Streams without a constant rate, and some with one, count ticks that are finer than frames.
        if seen > 0 && abs(nominalFrameRate / seen - 1) > 0.05 {
            nominalFrameRate = abs(seen.rounded() / seen - 1) < 0.005 ? seen.rounded() : seen
        }
    }
}

/// How a picture is placed when it is shown: CGAffineTransform's a b c d tx ty.
package struct DisplayTransform: Sendable {
    package var a = 1.0
    package var b = 0.0
    package var c = 0.0
    package var d = 1.0
    package var tx = 0.0
    package var ty = 0.0

    init() {}

    /// From the matrix of ISO/IEC 14496-12 8.3.2, whose numbers are of 16.16 bits.
    init(matrix: UnsafePointer<Int32>) {
        let one = 65536.0
        unsafe (a, b) = (Double(matrix[0]) / one, Double(matrix[1]) / one)
        unsafe (c, d) = (Double(matrix[3]) / one, Double(matrix[4]) / one)
        unsafe (tx, ty) = (Double(matrix[6]) / one, Double(matrix[7]) / one)
    }

    /// Whether the picture is flipped, from left to right, before it is turned.
    package var isMirrored: Bool { a * d - b * c < 0 }

    /// The quarter turn that comes next, in degrees clockwise: 0, 90, 180 or 270.
    package var rotation: Int32 {
        let sign = isMirrored ? -1.0 : 1.0
        let quarters = (atan2(sign * b, sign * a) / (.pi / 2)).rounded()
        guard quarters.isFinite else { return 0 }
        return (Int32(quarters) + 4) % 4 * 90
    }
}
