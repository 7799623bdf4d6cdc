/// What a session asks of an encoder. A session calls it from one thread at a time.
protocol VideoEncoder: AnyObject {
    /// How many frames decode order may differ from presentation order.
    var reorderDepth: Int { get }
    /// Parameter sets, size and colour of the stream; the same for every encoder opened with the same setup.
    var formatDescription: FormatDescription { get }
    /// The parameters that the encoder runs with, as text.
    var effectiveParameters: String { get }

    /// How many frames it holds for reference.
    var heldReferences: Int { get }
    /// Frames may bring offsets of the QP.
    var takesQPOffsets: Bool { get }

    /// How many encoders like this one it takes to fill the processors.
    var recommendedParallelism: Int { get }
    /// The most frames from one key frame to the next that it makes by itself; nil: any number.
    var keyFrameInterval: Int? { get }

    /// The number of the cheapest step of its analysis; 0: it has but one.
    var lastAnalysisStep: Int { get }

    /// Takes one frame; gives a picture when one is ready, of this frame or an earlier one. The frame's pixels are
    /// not read after the call. After a throw the encoder is not used again.
    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncodedPicture?

    /// Another rate, for the very next picture that comes out: a frame's own rate waits until that frame is coded.
    func retune(_ rate: RatePlan) throws(NaluError)

    /// Writes its pictures with other slice headers; nil for codecs that need none. With EnableLTR its `frame_num` is wider
    /// than the encoder's own, and every picture is written anew.
    var sliceRewriter: SliceRewriter? { get }
    /// A picture that is not delivered can be forgotten (``EncoderFrame/forgetFrom``): no key frame need follow.
    var forgetsPictures: Bool { get }

    /// Gives the next delayed picture, or nil when there is none left. After that the encoder is not used again.
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
    /// Pixels in 4:2:0, of the encoder's size, range and depth.
    let pixels: PixelView
    let presentationTime: MediaTime
    /// Comes back with the picture.
    let token: UInt64
    let forceKeyFrame: Bool
    /// The key frame need not be IDR: frames that are shown before it may refer across it.
    var mayBeRecoveryPoint = false
    /// 0 to 51; nil: rate control decides.
    let baseQP: Int?
    /// Added to the QP of each macroblock, row by row; nil: none.
    let qpOffsets: [Float]?
    let rate: RatePlan
    /// 0: as opened; each step up to the encoder's last one is cheaper.
    var analysisStep = 0
    /// Not to refer to the frame of that token or to later ones any more; an IDR frame where none is left.
    var forgetFrom: UInt64?
    /// Begin an intra refresh with this frame, or when the one in progress is complete.
    var beginIntraRefresh = false
}

/// One encoded picture.
@safe
struct EncodedPicture {
    /// Of the frame that it was made from.
    let token: UInt64
    /// NAL units with 4-byte length prefixes; valid until the next call to the encoder.
    let data: UnsafeRawBufferPointer
    /// IDR.
    let isKeyFrame: Bool
    /// Intra, and nothing that follows in both decode and presentation order refers to anything before it.
    var isRecoveryPoint = false
    let isIntra: Bool
    /// Other pictures may refer to it.
    let isReference: Bool
    /// NaN when not known.
    let averageQP: Double
    /// nil when not asked for.
    var quality: QualityMetrics?
}

/// Everything an encoder is opened with.
struct EncoderSetup: Sendable {
    let geometry: PictureGeometry
    let isFullRange: Bool
    /// Chroma samples sit in the middle of their four pixels, as the session's conversion puts them; else not known.
    var chromaIsCentred = false
    /// Its ``SessionConfiguration/outputBitDepth`` is set.
    var configuration: SessionConfiguration
    var rate: RatePlan
    /// The part of the bucket that is full at the first frame; nil: as the encoder has it.
    var bucketFill: Double?
    /// Ticks a second of presentation times, for an encoder that follows them.
    let ticksPerSecond: Int32
    /// nil: there is only one.
    var pass: EncoderPass?

    /// Pixels that are encoded.
    var width: Int { geometry.encodedWidth }
    var height: Int { geometry.encodedHeight }

    /// 8 or 10.
    var bitDepth: Int { configuration.outputBitDepth ?? 8 }

    /// Whether such frames are encoded where they lie. x264's 10 bits lie at the other end of the word than x420's.
    func takes(_ format: PixelFormat, width: Int, height: Int) -> Bool {
        format.is420 && format.isFullRange == isFullRange && format.bitDepth == 8 && bitDepth == 8
            && width == self.width && height == self.height
    }
}
