public import Nalu
internal import NaluMediaEngine

/// Decodes samples into pictures; VideoToolbox's `VTDecompressionSession`.
///
///     let session = try DecompressionSession(format: sample.formatDescription) { frame in
///         if let image = frame.image { ... }
///     }
///     try session.decode(sample)                       // for each sample, in decode order
///     try session.waitForAsynchronousFrames()          // the rest
///
/// Any thread may call any function; different sessions share nothing. The handler receives each accepted sample
/// exactly once, with images in output order. Calls never overlap, and come from the session's own thread. Inside it
/// one may decode and finish delayed frames; waiting and invalidating throw `.reentrant`.
public final class DecompressionSession: Sendable {
    /// How a session decodes, and what it gives.
    public struct Options: Sendable {
        /// 1 to 64; 0: the number of processors that the process may use, at most 16.
        public var threadCount = 0
        /// After a lost or damaged picture that others may refer to, drop samples up to the next key frame or completed
        /// recovery point, instead of showing pictures with ``InfoFlags/damaged``.
        public var dropsUntilKeyFrame = false
        /// Use threads within a picture only, so that a picture waits for later samples no longer than the stream's
        /// reordering demands.
        public var isLowDelay = false
        /// Give images in decode order, each with its own sample, also where the stream reorders. Pictures with damaged or
        /// missing parts give no image then.
        public var isInDecodeOrder = false
        /// 4:2:0 with 8 or 10 bits, or RGB; nil: the format that loses nothing of the stream, such as ``PixelFormat/i420``,
        /// ``PixelFormat/x422`` for 4:2:2 with 10 bits, or ``PixelFormat/bgra`` for RGB.
        public var pixelFormat: PixelFormat?
        /// Pixels; nil: the stream's. Scaled images without a ``pixelFormat`` are 4:2:0 with 8 or 10 bits.
        public var width: Int?
        public var height: Int?
        /// The most pixels of a picture before cropping: a larger one is refused with `.invalidSize` before it takes memory.
        /// nil: 35,651,584, the most of level 6.2.
        public var maximumPixelCount: Int?

        public init() {}
    }

    /// How a sample is to be decoded.
    public struct DecodeFlags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Return at once: the session's thread decodes.
        public static let asynchronous = DecodeFlags(rawValue: 1 << 0)
        /// Decode the sample, and give no image for it.
        public static let doNotOutput = DecodeFlags(rawValue: 1 << 1)
    }

    /// What is said of a picture.
    public struct InfoFlags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let asynchronous = InfoFlags(rawValue: 1 << 0)
        /// There is no image on purpose; the status says why.
        public static let frameDropped = InfoFlags(rawValue: 1 << 1)
        /// The client may change the image's pixels. Without this flag later pictures refer to them.
        public static let imageBufferModifiable = InfoFlags(rawValue: 1 << 2)
        /// The sample is displayed before the recovery point at which decoding began, and refers to what came before
        /// that.
        public static let skippedLeadingFrameDropped = InfoFlags(rawValue: 1 << 3)
        /// Parts of the image are wrong or made up, because they, or a picture that the image may refer to, were
        /// damaged or missing.
        public static let damaged = InfoFlags(rawValue: 1 << 16)
        /// The rows of the image are two fields in turn, of different times. H.264 only, and not in decode order.
        public static let interlaced = InfoFlags(rawValue: 1 << 17)
        /// With ``interlaced``: the field with the second row is the earlier one, else that with the first.
        public static let bottomFieldFirst = InfoFlags(rawValue: 1 << 18)
    }

    /// A sample's picture, or what became of it.
    public struct Frame {
        public let status: Status
        public let flags: InfoFlags
        /// To be read only, unless ``InfoFlags/imageBufferModifiable`` is set; it may be kept.
        public let image: PixelBuffer?
        /// Those of the sample, exactly.
        public let presentationTime: MediaTime
        public let duration: MediaTime
    }

    private let engine: NaluMediaEngine.DecompressionSession

    /// - Parameters:
    ///   - format: what the first sample will have.
    ///   - outputHandler: slows the session when it is slow. Let go after its last call.
    ///
    /// Throws `.unsupportedDataFormat` when there is no decoding of that codec, chroma or depth; `.outOfRange`,
    /// `.invalidPixelFormat` and `.invalidSize` for the options, and for a picture beyond ``Options/maximumPixelCount``.
    public init(
        format: FormatDescription, options: Options = Options(),
        outputHandler: @escaping @Sendable (Frame) -> Void
    ) throws(NaluError) {
        var settings = DecoderSettings(face: Caller.face)
        settings.maximumPixelCount = Int64(options.maximumPixelCount ?? 0)
        settings.dropsUntilKeyFrame = options.dropsUntilKeyFrame
        settings.isLowDelay = options.isLowDelay
        settings.isInDecodeOrder = options.isInDecodeOrder
        settings.threadCount =
            options.threadCount == 0 ? try DecoderSettings.processorCount : Int32(clamping: options.threadCount)
        settings.pixelFormat = options.pixelFormat
        settings.width = Int32(clamping: options.width ?? 0)
        settings.height = Int32(clamping: options.height ?? 0)
        let fixed = settings
        engine = try NaluMediaEngine.DecompressionSession(
            format: format, settings: fixed, onFinish: nil
        ) { frame in
            outputHandler(Frame(frame))
        }
    }

    /// Hands in the next sample, in decode order. Without ``DecodeFlags/asynchronous`` it waits until every picture
    /// that can be shown so far has had its call. A sample may have another format description than the one before.
    ///
    /// Returns ``InfoFlags/asynchronous`` if the sample's call is still to come. Throws `.unsupportedDataFormat` for a
    /// format description that the session cannot accept; `.invalidSession`; `.wouldBlock` inside the handler, if too
    /// many samples are pending.
    @discardableResult
    public func decode(_ sample: Sample, flags: DecodeFlags = []) throws(NaluError) -> InfoFlags {
        let info = unsafe try engine.decode(
            sample, flags: NaluMediaEngine.DecodeFlags(rawValue: flags.rawValue))
        return InfoFlags(rawValue: info.rawValue)
    }

    /// Makes the session deliver the pictures that it holds back for reordering. Does not wait.
    public func finishDelayedFrames() throws(NaluError) {
        try engine.finishDelayedFrames()
    }

    /// Finishes delayed frames, and waits until every accepted sample has had its call.
    public func waitForAsynchronousFrames() throws(NaluError) {
        try engine.waitForAsynchronousFrames()
    }

    /// Whether the session accepts samples of this format.
    public func canAccept(_ format: FormatDescription) -> Bool {
        engine.canAccept(format)
    }

    /// The pixel format of images of `format` without ``Options/pixelFormat`` and scaling; nil for what is not decoded.
    public static func imageFormat(of format: FormatDescription) -> PixelFormat? {
        NaluMediaEngine.DecompressionSession.imageFormat(of: format)
    }

    /// Ends the session; pending samples come back without a picture. A session that goes away does so by itself.
    public func invalidate() throws(NaluError) {
        try engine.invalidate()
    }

    /// The message of the last failure that happened during decoding; "" if there was none.
    public var lastError: String { engine.lastError }
}

extension DecompressionSession.Frame {
    init(_ frame: DecodedFrame) {
        status = frame.status
        flags = DecompressionSession.InfoFlags(rawValue: frame.flags.rawValue)
        image = frame.image
        presentationTime = frame.presentationTime
        duration = frame.duration
    }
}
