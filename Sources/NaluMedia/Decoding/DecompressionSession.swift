public import Nalu

/// Decodes samples into pictures; VideoToolbox's `VTDecompressionSession`.
///
///     let session = try DecompressionSession(format: sample.formatDescription) { frame in
///         if let image = frame.image { ... }
///     }
///     try session.decode(sample)                       // for each sample, in decode order
///     try session.waitForAsynchronousFrames()          // the rest
///
/// Any thread may call any function; different sessions share nothing. The handler receives each accepted sample
/// exactly once, with images in output order. Calls never overlap, and run on the session's own thread. The handler may
/// decode samples and finish delayed frames; waiting and invalidating throw `.reentrant` in it.
public final class DecompressionSession: Sendable {
    /// The options of a session.
    public struct Options: Sendable {
        /// 1 to 64 threads; 0: the number of processors that the process may use, at most 16.
        public var threadCount = 0
        /// Drops samples after a lost or damaged picture that others may refer to, up to the next key frame or
        /// completed recovery point. Without this option such pictures are delivered with ``InfoFlags/damaged``.
        public var dropsUntilKeyFrame = false
        /// Uses threads within a picture only, so that a picture waits for later samples no longer than the stream's
        /// reordering demands.
        public var isLowDelay = false
        /// Delivers images in decode order, each with its own sample, even if the stream reorders pictures. Incomplete
        /// or corrupt pictures then have no image.
        public var isInDecodeOrder = false
        /// 4:2:0 with 8 or 10 bits, or RGB; nil: the format that loses nothing of the stream, such as
        /// ``PixelFormat/i420``, ``PixelFormat/x422`` for 4:2:2 with 10 bits, or ``PixelFormat/bgra`` for RGB.
        public var pixelFormat: PixelFormat?
        /// The size of the images in pixels; nil: that of the stream. Scaled images without a ``pixelFormat`` are 4:2:0
        /// with 8 or 10 bits.
        public var width: Int?
        public var height: Int?
        /// The most pixels that a picture may have before cropping. A larger picture is refused with `.invalidSize`
        /// before it takes memory. nil: 35,651,584, the limit of level 6.2.
        public var maximumPixelCount: Int?

        let spelling: Spelling

        public init() {
            self.init(spelling: .ofProcess)
        }

        package init(spelling: Spelling) {
            self.spelling = spelling
        }
    }

    /// Flags for the decoding of one sample.
    public struct DecodeFlags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// ``decode(_:flags:)`` returns at once; the session's thread decodes.
        public static let asynchronous = DecodeFlags(rawValue: 1 << 0)
        /// Decodes the sample, and delivers no image for it.
        public static let doNotOutput = DecodeFlags(rawValue: 1 << 1)
        /// A hint that has no effect.
        package static let realTimePlayback = DecodeFlags(rawValue: 1 << 2)
        /// A hint that has no effect.
        package static let temporalProcessing = DecodeFlags(rawValue: 1 << 3)

        static let all: DecodeFlags = [.asynchronous, .doNotOutput, .realTimePlayback, .temporalProcessing]
    }

    /// Facts about a delivered picture.
    public struct InfoFlags: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let asynchronous = InfoFlags(rawValue: 1 << 0)
        /// The sample has no image on purpose; the status states the reason.
        public static let frameDropped = InfoFlags(rawValue: 1 << 1)
        /// The client may change the image's pixels. Without this flag, later pictures may refer to them.
        public static let imageBufferModifiable = InfoFlags(rawValue: 1 << 2)
        /// The sample is displayed before the recovery point at which decoding began, and refers to pictures that
        /// precede this point.
        public static let skippedLeadingFrameDropped = InfoFlags(rawValue: 1 << 3)
        /// Parts of the image are wrong or concealed, because the picture, or one that it may refer to, was damaged or
        /// missing.
        public static let damaged = InfoFlags(rawValue: 1 << 16)
        /// The rows of the image alternate between two fields of different times. Set for H.264 only, and not in decode
        /// order.
        public static let interlaced = InfoFlags(rawValue: 1 << 17)
        /// The field with the second row is the earlier one of an ``interlaced`` picture. Without this flag the field with
        /// the first row is the earlier one.
        public static let bottomFieldFirst = InfoFlags(rawValue: 1 << 18)
    }

    /// A sample's picture, or the reason why the sample has none.
    @safe
    public struct Frame {
        public let status: Status
        public let flags: InfoFlags
        /// The picture; nil if there is none. It may be kept, and is read-only unless
        /// ``InfoFlags/imageBufferModifiable`` is set.
        public let image: PixelBuffer?
        /// The pointer that a C program passed with the sample.
        package let frameRefcon: UnsafeMutableRawPointer?
        /// The presentation time and the duration of the sample, exactly.
        public let presentationTime: MediaTime
        public let duration: MediaTime
    }

    private let core: DecoderCore
    private let clientReferences = ClientReferences()

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - format: the format description of the first sample.
    ///   - outputHandler: receives each sample. A slow handler slows the session. The session releases the handler
    ///     after its last call.
    ///
    /// Throws `.unsupportedDataFormat` if the codec, chroma format or bit depth cannot be decoded; `.outOfRange`,
    /// `.invalidPixelFormat` and `.invalidSize` for the options, and for a picture larger than
    /// ``Options/maximumPixelCount``.
    public convenience init(
        format: FormatDescription, options: Options = Options(),
        outputHandler: @escaping @Sendable (Frame) -> Void
    ) throws(NaluError) {
        try self.init(format: format, options: options, onFinish: nil, handler: outputHandler)
    }

    /// Creates a session with a function that runs when the session has ended.
    ///
    /// - Parameters:
    ///   - onFinish: runs once, after the last call of the handler.
    ///   - handler: receives each accepted sample exactly once.
    package init(
        format: FormatDescription, options: Options, onFinish: (@Sendable () -> Void)?,
        handler: @escaping DecodeHandler
    ) throws(NaluError) {
        let options = try options.resolved()
        try VideoDecoder.checkFitness(of: format, options.pictureLimit)
        core = DecoderCore(format, options: options, handler: handler, onFinish: onFinish)
    }

    deinit {
        try? core.invalidate(isRelease: true)
    }

    /// Notes a further reference of a client that counts references.
    package func retainedByClient() { clientReferences.retain() }

    /// Notes that the client released a reference. The last release ends the session.
    package func releasedByClient() {
        if clientReferences.release() { try? core.invalidate(isRelease: true) }
    }

    /// Sends the next sample, in decode order. Without ``DecodeFlags/asynchronous`` it waits until every picture that
    /// can be displayed so far is delivered. A sample may have another format description than the previous one.
    ///
    /// Returns ``InfoFlags/asynchronous`` if the sample is not delivered yet. Throws `.unsupportedDataFormat` for a
    /// format description that the session cannot accept; `.invalidSession`; `.wouldBlock` inside the handler, if too
    /// many samples are pending.
    @discardableResult
    public func decode(_ sample: Sample, flags: DecodeFlags = []) throws(NaluError) -> InfoFlags {
        try unsafe core.decode(sample, flags: flags, refcon: nil)
    }

    /// Sends the next sample with a pointer that is delivered with it.
    package func decode(
        _ sample: Sample, flags: DecodeFlags, refcon: UnsafeMutableRawPointer?
    ) throws(NaluError) -> InfoFlags {
        try unsafe core.decode(sample, flags: flags, refcon: refcon)
    }

    /// Makes the session deliver the pictures that it delays for reordering. Does not wait.
    public func finishDelayedFrames() throws(NaluError) {
        try core.finishDelayedFrames()
    }

    /// Finishes delayed frames, and waits until every accepted sample is delivered.
    public func waitForAsynchronousFrames() throws(NaluError) {
        try core.wait()
    }

    /// Returns whether the session accepts samples of this format.
    public func canAccept(_ format: FormatDescription) -> Bool {
        core.canAccept(format)
    }

    /// Returns the pixel format of images of `format` without ``Options/pixelFormat`` and scaling; nil if `format`
    /// cannot be decoded.
    public static func imageFormat(of format: FormatDescription) -> PixelFormat? {
        guard (try? VideoDecoder.checkFitness(of: format, PictureLimit(.max, .c))) != nil
        else { return nil }
        let layout = PictureLayout(format.sequence)
        if layout.isRGB { return .bgra }
        return ImageFormat(layout, isFullRange: format.sequence.isFullRange)?.code
    }

    /// Ends the session; pending samples are delivered without a picture. A session that is released ends by itself.
    public func invalidate() throws(NaluError) {
        try core.invalidate()
    }

    /// The message of the last failure that happened during decoding; "" if there was none.
    public var lastError: String { core.lastError }
}

package typealias DecodeHandler = @Sendable (DecompressionSession.Frame) -> Void
