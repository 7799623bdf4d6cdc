public import Nalu
private import Synchronization

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
        /// A hint that has no effect.
        package static let realTimePlayback = DecodeFlags(rawValue: 1 << 2)
        /// A hint that has no effect.
        package static let temporalProcessing = DecodeFlags(rawValue: 1 << 3)

        static let all: DecodeFlags = [.asynchronous, .doNotOutput, .realTimePlayback, .temporalProcessing]
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
    @safe
    public struct Frame {
        public let status: Status
        public let flags: InfoFlags
        /// To be read only, unless ``InfoFlags/imageBufferModifiable`` is set; it may be kept.
        public let image: PixelBuffer?
        /// The pointer that a C program gave with the sample.
        package let frameRefcon: UnsafeMutableRawPointer?
        /// Those of the sample, exactly.
        public let presentationTime: MediaTime
        public let duration: MediaTime
    }

    private let core: DecoderCore
    private let clientReferences = Atomic<Int>(1)

    /// - Parameters:
    ///   - format: what the first sample will have.
    ///   - outputHandler: slows the session when it is slow. Let go after its last call.
    ///
    /// Throws `.unsupportedDataFormat` when there is no decoding of that codec, chroma or depth; `.outOfRange`,
    /// `.invalidPixelFormat` and `.invalidSize` for the options, and for a picture beyond ``Options/maximumPixelCount``.
    public convenience init(
        format: FormatDescription, options: Options = Options(),
        outputHandler: @escaping @Sendable (Frame) -> Void
    ) throws(NaluError) {
        try self.init(
            format: format, settings: DecoderSettings(options, Caller.face), onFinish: nil, handler: outputHandler)
    }

    /// - Parameters:
    ///   - onFinish: runs once, after the last call of the handler.
    ///   - handler: receives each accepted sample exactly once.
    package init(
        format: FormatDescription, settings: DecoderSettings, onFinish: (@Sendable () -> Void)?,
        handler: @escaping DecodeHandler
    ) throws(NaluError) {
        try settings.check()
        try VideoDecoder.checkFitness(of: format, settings.pictureLimit)
        core = DecoderCore(format, settings: settings, handler: handler, onFinish: onFinish)
    }

    deinit {
        try? core.invalidate(isRelease: true)
    }

    /// A client who counts references has one more.
    package func retainedByClient() {
        clientReferences.wrappingAdd(1, ordering: .relaxed)
    }

    /// Such a client gave one back. The last one ends the session, also while a call in another thread, such as one
    /// from inside the handler, keeps the object for its own duration: deinit would then come too late to wait.
    package func releasedByClient() {
        if clientReferences.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            try? core.invalidate(isRelease: true)
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
        try unsafe core.decode(sample, flags: flags, refcon: nil)
    }

    /// The same with a pointer that comes back with the sample.
    package func decode(
        _ sample: Sample, flags: DecodeFlags, refcon: UnsafeMutableRawPointer?
    ) throws(NaluError) -> InfoFlags {
        try unsafe core.decode(sample, flags: flags, refcon: refcon)
    }

    /// Makes the session deliver the pictures that it holds back for reordering. Does not wait.
    public func finishDelayedFrames() throws(NaluError) {
        try core.finishDelayedFrames()
    }

    /// Finishes delayed frames, and waits until every accepted sample has had its call.
    public func waitForAsynchronousFrames() throws(NaluError) {
        try core.wait()
    }

    /// Whether the session accepts samples of this format.
    public func canAccept(_ format: FormatDescription) -> Bool {
        core.canAccept(format)
    }

    /// The pixel format of images of `format` without ``Options/pixelFormat`` and scaling; nil for what is not decoded.
    public static func imageFormat(of format: FormatDescription) -> PixelFormat? {
        guard (try? VideoDecoder.checkFitness(of: format, PictureLimit(.max, .c))) != nil
        else { return nil }
        let layout = PictureLayout(format.sequence)
        if layout.isRGB { return .bgra }
        return ImageFormat(layout, isFullRange: format.sequence.isFullRange)?.code
    }

    /// Ends the session; pending samples come back without a picture. A session that goes away does so by itself.
    public func invalidate() throws(NaluError) {
        try core.invalidate()
    }

    /// The message of the last failure that happened during decoding; "" if there was none.
    public var lastError: String { core.lastError }
}

package typealias DecodeHandler = @Sendable (DecompressionSession.Frame) -> Void
