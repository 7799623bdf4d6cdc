/// The interface of an encoder to a session. A session calls it from one thread at a time.
protocol VideoEncoder: AnyObject {
    /// Reorder depth in frames (max_num_reorder_frames).
    var reorderDepth: Int { get }
    /// The parameter sets, size and colour of the stream. They are the same for every encoder opened with the same
    /// setup.
    var formatDescription: FormatDescription { get }
    /// The parameters that the encoder runs with, as text.
    var effectiveParameters: String { get }

    /// The number of frames that the encoder holds for reference.
    var heldReferences: Int { get }
    /// Whether frames may have QP offsets.
    var takesQPOffsets: Bool { get }

    /// The number of encoders like this one that occupy all processors.
    var recommendedParallelism: Int { get }
    /// The most frames from one key frame to the next that the encoder makes by itself; nil for any number.
    var keyFrameInterval: Int? { get }

    /// The number of the cheapest step of the analysis; 0 if there is only one.
    var lastAnalysisStep: Int { get }

    /// Encodes one frame. Returns a picture if one is ready, of this frame or an earlier one. The frame's pixels are
    /// not read after the call. After a throw the encoder must not be used again.
    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncodedPicture?

    /// Changes the rate for the very next picture that is delivered. A frame's own rate waits until that frame is
    /// coded.
    func retune(_ rate: RatePlan) throws(NaluError)

    /// Writes the encoder's pictures with other slice headers; nil for codecs that need none. With EnableLTR
    /// `frame_num` is wider than the encoder's own, and every picture is rewritten.
    var sliceRewriter: SliceRewriter? { get }
    /// Whether the encoder can forget a picture that was not delivered (``EncoderFrame/forgetFrom``), so that no key
    /// frame must follow.
    var forgetsPictures: Bool { get }

    /// Returns the next delayed picture, or nil if there is none left. After nil the encoder must not be used again.
    func drain() throws(NaluError) -> EncodedPicture?
}

extension VideoEncoder {
    var takesQPOffsets: Bool { true }
    var sliceRewriter: SliceRewriter? { nil }
    var forgetsPictures: Bool { false }
    var lastAnalysisStep: Int { 0 }
    var recommendedParallelism: Int { 1 }
    var keyFrameInterval: Int? { nil }
    var heldReferences: Int { 1 }
}

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
    let rate: RatePlan
    /// The step of the analysis: 0 is as opened, and each step up to the encoder's last one is cheaper.
    var analysisStep = 0
    /// The token of a frame: neither that frame nor later ones may be referred to any more. If no reference is left,
    /// the new frame becomes IDR.
    var forgetFrom: UInt64?
    /// Whether to begin an intra refresh with this frame, or when the one in progress is complete.
    var beginIntraRefresh = false
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
    /// Whether other pictures may refer to this one.
    let isReference: Bool
    /// The average QP; NaN if unknown.
    let averageQP: Double
    /// The quality; nil if it was not requested.
    var quality: QualityMetrics?
}

/// The settings that an encoder is opened with.
struct EncoderSetup: Sendable {
    let geometry: PictureGeometry
    let isFullRange: Bool
    /// Whether chroma samples lie in the middle of their four pixels, where the session's conversion puts them. False
    /// if unknown.
    var chromaIsCentred = false
    /// The configuration; its ``SessionConfiguration/outputBitDepth`` is set.
    var configuration: SessionConfiguration
    var rate: RatePlan
    /// The fullness of the VBV buffer at the first frame, as a fraction; nil for the encoder's default.
    var vbvFill: Double?
    /// Ticks per second of presentation times, for an encoder that follows them.
    let ticksPerSecond: Int32
    /// The pass; nil if there is only one.
    var pass: EncoderPass?

    /// The size of the encoded pictures in pixels.
    var width: Int { geometry.encodedWidth }
    var height: Int { geometry.encodedHeight }

    /// Bits per sample, 8 or 10.
    var bitDepth: Int { configuration.outputBitDepth ?? 8 }

    /// Whether frames of this format are encoded without a copy. Frames of 10 bits are not: x264 has the bits at the
    /// low end of a word, x420 at the high end.
    func takes(_ format: PixelFormat, width: Int, height: Int) -> Bool {
        format.is420 && format.isFullRange == isFullRange && format.bitDepth == 8 && bitDepth == 8
            && width == self.width && height == self.height
    }
}
