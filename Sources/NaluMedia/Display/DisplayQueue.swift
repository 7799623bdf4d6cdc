public import Nalu

/// Decodes samples, and passes each picture to a function at its presentation time; AVFoundation's
/// `AVSampleBufferDisplayLayer` with a function in place of a layer. The corresponding C type is `nalu_display_queue`,
/// whose header has the details.
///
///     let timebase = Timebase()
///     let queue = try DisplayQueue { picture in window.show(picture.image) }
///     try queue.setControlTimebase(timebase)
///     try timebase.setRate(1)
///     try queue.enqueue(sample)          // throws `.wouldBlock` when the queue is full
///
/// A picture is late if the next picture is due too: it is dropped and counted. With rate 0, pictures up to the time of
/// the timebase are shown. With a negative rate, samples are key frames in falling order. No function waits, except
/// ``waitUntilReady(seconds:)`` and ``invalidate()``.
public final class DisplayQueue: Sendable {
    public struct Options: Sendable {
        /// The samples that wait for the decoder, 1 to 128.
        public var sampleCapacity = 16
        /// The pictures that wait for their time, 1 to 128. The queue decodes while fewer wait.
        public var pictureCapacity = 4
        /// The pictures that are decoded before ``Event/prerolled``, 1 to ``pictureCapacity``; nil: ``pictureCapacity``.
        public var prerollCount: Int?
        /// The options of decoding. Pictures are always in output order.
        public var decoder = DecompressionSession.Options()

        public init() {}
    }

    /// A picture to show.
    public struct Picture {
        /// The picture; nil: remove the displayed one.
        public let image: PixelBuffer?
        /// ``DecompressionSession/InfoFlags/damaged`` and the flags of interlaced pictures.
        public let flags: DecompressionSession.InfoFlags
        public let presentationTime: MediaTime
        public let duration: MediaTime
    }

    public enum Event: Sendable, Hashable {
        /// The number of decoded pictures has reached ``Options/prerollCount``, or all are decoded after ``finish()``.
        case prerolled
        /// The last picture before ``finish()`` has been shown or dropped.
        case ended
        /// Samples could not be decoded. ``lastError`` has the message.
        case failed(Status)
    }

    /// The counters and delays since the creation.
    public struct Statistics: Sendable {
        public var isPrerolled = false
        public var acceptedSamples: UInt64 = 0
        public var shownPictures: UInt64 = 0
        /// Pictures that were dropped because the next one was due too.
        public var latePictures: UInt64 = 0
        public var failedSamples: UInt64 = 0
        /// Samples and pictures that were dropped by a flush.
        public var flushedSamples: UInt64 = 0
        public var waitingSamples = 0
        public var waitingPictures = 0
        /// The times from handing in a sample to its decoder.
        public var receive = Delay()
        /// The times from there to the decoded picture.
        public var decode = Delay()
        /// The times from the decoded picture to the function that shows it.
        public var show = Delay()
        /// The times from the moment at which a decoded picture was due to the function that shows it.
        public var lateness = Delay()
    }

    private let core: DisplayCore
    private let clientReferences = ClientReferences()

    /// Creates a queue, whose control timebase is the host clock.
    ///
    /// - Parameters:
    ///   - onEvent: receives events, in the thread of `show`.
    ///   - show: receives the pictures, in the queue's display thread.
    ///
    /// Throws `.outOfRange` and `.invalidPixelFormat` for the options.
    public convenience init(
        options: Options = Options(), onEvent: (@Sendable (Event) -> Void)? = nil,
        show: @escaping @Sendable (Picture) -> Void
    ) throws(NaluError) {
        try self.init(options: options, onEvent: onEvent, onFinish: nil, show: show)
    }

    /// Creates a queue with a function that runs once, after the last call of the others.
    package init(
        options: Options, onEvent: (@Sendable (Event) -> Void)?, onFinish: (@Sendable () -> Void)?,
        show: @escaping @Sendable (Picture) -> Void
    ) throws(NaluError) {
        core = try DisplayCore(options, onEvent: onEvent, onFinish: onFinish, show: show)
    }

    deinit {
        try? core.invalidate(isRelease: true)
    }

    /// Notes a further reference of a client that counts references.
    package func retainedByClient() { clientReferences.retain() }

    /// Notes that the client released a reference. The last release ends the queue.
    package func releasedByClient() {
        if clientReferences.release() { try? core.invalidate(isRelease: true) }
    }

    /// Ends the queue, after which no function is called. Waits for a call that is running, and throws `.reentrant`
    /// inside it.
    public func invalidate() throws(NaluError) { try core.invalidate(isRelease: false) }

    /// The timebase that decides when pictures are shown.
    public var controlTimebase: Timebase { core.controlTimebase }

    /// Makes another timebase decide when pictures are shown. Waiting pictures stay.
    public func setControlTimebase(_ timebase: Timebase) throws(NaluError) { try core.setControlTimebase(timebase) }

    /// Hands in the next sample in decode order. `immediately`: its picture is shown as soon as it is decoded.
    ///
    /// Throws `.wouldBlock` if the queue is full.
    public func enqueue(_ sample: Sample, immediately: Bool = false) throws(NaluError) {
        try core.enqueue(sample, isImmediate: immediately)
    }

    /// Whether the queue has room for a sample.
    public var isReadyForMoreMediaData: Bool { core.isReady }

    /// Waits for room, at most for `seconds`, 0 to 3600; then throws `.wouldBlock`.
    public func waitUntilReady(seconds: Double) throws(NaluError) { try core.waitUntilReady(seconds: seconds) }

    /// Calls a function in the queue's decoding thread whenever the queue has room. A call that hands in nothing is not
    /// repeated before the queue has taken another sample or was flushed. nil: no further calls.
    public func requestMediaDataWhenReady(_ function: (@Sendable () -> Void)?) throws(NaluError) {
        try core.request(function)
    }

    /// Declares that no sample follows for now, so that the pictures in the decoder are shown too.
    public func finish() throws(NaluError) { try core.finish() }

    /// Drops all samples and pictures that wait. With `removesImage`, `show` is then called without an image.
    public func flush(removesImage: Bool = false) throws(NaluError) { try core.flush(removesImage: removesImage) }

    /// Shows the next picture, and sets the control timebase to its time. Throws `.conflict` if the timebase runs.
    public func step() throws(NaluError) { try core.step() }

    public var statistics: Statistics { core.statistics }

    /// The message of the last sample that could not be decoded; "" if there was none.
    public var lastError: String { core.lastError }
}
