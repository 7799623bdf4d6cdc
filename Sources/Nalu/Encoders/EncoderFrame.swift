/// One frame for an encoder.
struct EncoderFrame {
    /// The pixels in 4:2:0, with the encoder's size, range and depth.
    let pixels: PixelView
    let presentationTime: MediaTime
    /// A number that is returned with the picture.
    let token: UInt64
    let forceKeyFrame: Bool
    /// Whether the key frame need not be IDR: frames that are displayed before it may refer across it.
    var mayBeRecoveryPoint = false
    /// The QP of the frame, 0 to 51; nil if rate control decides.
    let baseQP: Int?
    /// The offsets to the QP of each macroblock, row by row; nil for none.
    let qpOffsets: [Float]?
    /// The offset to the QP of the whole frame, in addition.
    var qpOffset: Float = 0
    let rate: RatePlan
    /// The governor's step: 0 is the analysis of the settings, and each further step is cheaper.
    var analysisStep = 0
    /// The token of a frame: neither that frame nor later ones may be referred to any more. If no reference is left,
    /// the new frame becomes IDR.
    var forgetFrom: UInt64?
    /// Whether to begin an intra refresh with this frame, or when the one in progress is complete.
    var beginIntraRefresh = false
}

extension PixelView {
    /// Returns the address of a plane; nil if the format has fewer planes.
    func bytes(_ plane: Int) -> UnsafeMutablePointer<UInt8>? {
        guard plane < format.planeCount else { return nil }
        return unsafe self.plane(plane).baseAddress.assumingMemoryBound(to: UInt8.self)
    }

    /// Returns the distance of a plane's rows in bytes; 0 if the format has fewer planes.
    func stride(_ plane: Int) -> Int32 {
        plane < format.planeCount ? unsafe Int32(clamping: self.plane(plane).stride) : 0
    }
}

/// The result of encoding a frame.
enum EncoderOutput {
    case picture(EncodedPicture)
    /// The encoder itself has left out the frame with that token, to keep its rate. Nothing refers to the frame.
    case dropped(token: UInt64)
}

/// One encoded picture.
@safe
struct EncodedPicture {
    /// The token of the frame that the picture was made from.
    let token: UInt64
    /// NAL units with 4-byte length prefixes; valid until the next call to the encoder.
    let data: UnsafeRawBufferPointer
    /// Whether the picture is IDR.
    let isKeyFrame: Bool
    /// Whether the picture is intra, and no picture that follows it in both decode and presentation order refers to
    /// anything before it.
    var isRecoveryPoint = false
    let isIntra: Bool
    /// Whether other pictures may refer to this one. If not, a receiver can leave it out.
    var isReference: Bool
    /// The average QP; NaN if unknown.
    let averageQP: Double
    /// The quality; nil if it was not requested.
    var quality: QualityMetrics?
}
