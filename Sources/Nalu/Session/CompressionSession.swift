/// Encodes frames of one size into samples.
///
///     let session = try CompressionSession(width: 1280, height: 720) { frame in
///         if let sample = frame.sample { write(sample.annexB()) }
///     }
///     try session.set(.averageBitRate, 2_000_000)
///     try session.encode(buffer, presentationTime: MediaTime(value: 0, timescale: 30))
///     try session.complete()
///
/// The handler receives each accepted frame exactly once. Samples arrive in decode order. Calls never overlap, and are
/// made on the session's own thread. A frame without a sample has an error status or the flag
/// ``EncodeInfoFlags/frameDropped``. Inside the handler, a client may encode, and read and set properties;
/// ``complete(until:)`` and ``invalidate()`` throw ``Status/reentrant``. A slow handler slows
/// ``encode(_:presentationTime:duration:options:refcon:)``, which waits while too many frames are pending.
///
/// Any thread may call any method. If several threads encode at once, they must ensure that presentation times grow in
/// the order of their calls. The session ends with ``invalidate()`` or with its last reference; a handler that retains
/// the session keeps it alive until then.
public final class CompressionSession: Sendable {
    let core: SessionCore
    /// The returned frames of a session without a handler.
    private let stream: AsyncStream<EncodedFrame>?
    private let clientReferences = ClientReferences()

    /// Creates a session. The encoder is opened by ``prepare()`` or by the first frame.
    ///
    /// - Parameters:
    ///   - width: 16 to 16384 pixels, for H.265 at least 32; an odd size is encoded in the next even one, its last
    ///     column or row repeated.
    ///   - height: 16 to 16384 pixels, for H.265 at least 32, like `width`.
    ///   - codec: ``EncoderRegistry/h264`` or ``EncoderRegistry/h265``.
    ///   - encoderID: an identifier from ``EncoderRegistry``; nil for the best encoder of the codec.
    ///   - requireHardwareEncoder: if true, the initializer throws, because there is no hardware encoder.
    ///   - sourceFormat: the format of ``pixelBufferPool``, and with it the range of the stream. Nil for '420v' ('y420' with
    ///     OpenH264), and the range of the first frame's format.
    ///   - onFinish: runs once, after the last call of the handler.
    ///   - outputHandler: nil if every frame has its own.
    /// - Throws: ``Status/invalidSize``, ``Status/couldNotFindVideoEncoder``.
    public convenience init(
        width: Int, height: Int, codec: UInt32 = EncoderRegistry.h264, encoderID: String? = nil,
        requireHardwareEncoder: Bool = false, sourceFormat: PixelFormat? = nil,
        onFinish: (@Sendable () -> Void)? = nil, outputHandler: OutputHandler?
    ) throws(NaluError) {
        let encoder = try EncoderRegistry.encoder(codec: codec, id: encoderID, requireHardware: requireHardwareEncoder)
        try encoder.check()
        try self.init(
            width: width, height: height, encoder: encoder, sourceFormat: sourceFormat, onFinish: onFinish,
            outputHandler: outputHandler)
    }

    /// Creates a session whose frames are read from ``samples`` or ``frames``.
    public init(width: Int, height: Int, sourceFormat: PixelFormat? = nil) throws(NaluError) {
        let encoder = try EncoderRegistry.encoder(codec: EncoderRegistry.h264, id: nil, requireHardware: false)
        let (stream, continuation) = AsyncStream.makeStream(of: EncodedFrame.self)
        self.stream = stream
        core = try SessionCore(
            width: width, height: height, encoder: encoder, sourceFormat: sourceFormat,
            outputHandler: { continuation.yield($0) }, onFinish: { continuation.finish() })
    }

    init(
        width: Int, height: Int, encoder: EncoderDescription, sourceFormat: PixelFormat?,
        onFinish: (@Sendable () -> Void)?, outputHandler: OutputHandler?
    ) throws(NaluError) {
        stream = nil
        core = try SessionCore(
            width: width, height: height, encoder: encoder, sourceFormat: sourceFormat, outputHandler: outputHandler,
            onFinish: onFinish)
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

    public var width: Int { core.width }
    public var height: Int { core.height }

    // MARK: Frames

    /// Opens the encoder with the current properties, so that the first frame does not have to.
    public func prepare() throws(NaluError) {
        try core.prepare()
    }

    /// Accepts one frame, which is encoded on the session's thread.
    ///
    /// Some buffers are not converted: 4:2:0 of 8 bits with the session's size and the stream's range, if the stream
    /// has 8 bits. They are retained and read until the handler is called: do not change their pixels until then. Other
    /// buffers are converted during the call.
    ///
    /// - Parameters:
    ///   - presentationTime: numeric, and greater than that of the last accepted frame.
    ///   - duration: returned with the sample; invalid if unknown.
    /// - Throws: ``Status/invalidTime``, ``Status/invalidSize``, ``Status/wouldBlock``, ``Status/invalidSession``; on the
    ///   first frame also what ``prepare()`` throws. A frame for which it throws does not reach the handler.
    public func encode(
        _ buffer: PixelBuffer, presentationTime: MediaTime, duration: MediaTime = .invalid,
        options: FrameOptions = FrameOptions(), refcon: UnsafeMutableRawPointer? = nil
    ) throws(NaluError) {
        try unsafe core.encode(
            .buffer(buffer), presentationTime: presentationTime, duration: duration, options: options, refcon: refcon)
    }

    /// Accepts a frame in memory that is read during the call only.
    public func encode(
        copying view: PixelView, presentationTime: MediaTime, duration: MediaTime = .invalid,
        options: FrameOptions = FrameOptions(), refcon: UnsafeMutableRawPointer? = nil
    ) throws(NaluError) {
        try unsafe core.encode(
            .memory(view), presentationTime: presentationTime, duration: duration, options: options, refcon: refcon)
    }

    /// Waits until every accepted frame with a presentation time up to `time` has been returned; by default all frames.
    /// The session can be used afterwards. If the encoder was delaying frames, the next frame is a key frame.
    public func complete(until time: MediaTime = .invalid) throws(NaluError) {
        try core.complete(until: time)
    }

    /// Ends the session: waits for the handler in progress, returns every pending frame as dropped, and calls
    /// `onFinish`. The handler is not called afterwards.
    public func invalidate() throws(NaluError) {
        try core.invalidate()
    }

    /// A pool of buffers of the session's size and source format. Its 4:2:0 buffers are encoded without a copy.
    public var pixelBufferPool: PixelBufferPool? { core.pixelBufferPool }

    /// The message of the last failure during encoding; "" if there was none.
    public var lastError: String { core.lastError }

    /// The session's counts so far, all of one moment. Any thread may read them, also inside the handler. After
    /// ``invalidate()`` they keep their last values.
    public var statistics: SessionStatistics { core.statistics }

    // MARK: Results as a sequence

    /// Every returned frame, until the session ends. Empty for a session with a handler. One task may read it, once;
    /// unread frames are kept in memory.
    public var frames: AsyncStream<EncodedFrame> {
        stream ?? AsyncStream { $0.finish() }
    }

    /// The samples among ``frames``. A failed frame throws its error.
    public var samples: Samples {
        Samples(base: frames, core: core)
    }

    /// An asynchronous sequence of samples in decode order.
    public struct Samples: AsyncSequence, Sendable {
        public typealias Element = Sample
        public typealias Failure = NaluError
        let base: AsyncStream<EncodedFrame>
        let core: SessionCore

        public func makeAsyncIterator() -> Iterator {
            Iterator(base: base.makeAsyncIterator(), core: core)
        }

        public struct Iterator: AsyncIteratorProtocol {
            public typealias Failure = NaluError

            var base: AsyncStream<EncodedFrame>.Iterator
            let core: SessionCore

            public mutating func next() async throws(NaluError) -> Sample? {
                while let frame = await base.next() {
                    if let sample = frame.sample { return sample }
                    if frame.status != .ok && frame.status != .invalidSession {
                        throw NaluError(frame.status, core.lastError)
                    }
                }
                return nil
            }
        }
    }

    // MARK: Properties

    /// Sets a property; nil restores its default. On failure nothing is changed.
    ///
    /// - Throws: ``Status/propertyNotSupported``, ``Status/propertyReadOnly``, ``Status/wrongType``,
    ///   ``Status/outOfRange``, ``Status/conflict``, ``Status/tooLate``, ``Status/invalidSession``.
    public func set(_ key: PropertyKey, _ value: PropertyValue?) throws(NaluError) {
        try core.setProperties([(key, value)])
    }

    /// Sets several properties: all of them, or on failure none. Only conflicts in the result count.
    public func set(_ properties: [(key: PropertyKey, value: PropertyValue?)]) throws(NaluError) {
        try core.setProperties(properties)
    }

    /// Returns the value of a property.
    ///
    /// - Throws: ``Status/propertyNotSupported``, ``Status/valueNotAvailable``, ``Status/invalidSession``.
    public func property(_ key: PropertyKey) throws(NaluError) -> PropertyValue {
        try core.property(key)
    }

    /// Returns true if the session's encoder has a property. An encoder without it accepts at most the value that
    /// describes what it does.
    public func hasProperty(_ key: PropertyKey) -> Bool { core.encoder.properties.contains(key) }

    /// Sets properties from text, such as "AverageBitRate=2000000,RealTime=true": all of them, or on failure none. The
    /// form is that of `nalu_session_set_properties_from_text` in properties.h.
    ///
    /// - Throws: ``Status/parameter`` with the position of the error in the text, ``Status/outOfRange`` for a number
    ///   beyond every type, and what ``set(_:)`` throws.
    public func set(text: String) throws(NaluError) {
        try set(textBytes: [UInt8](text.utf8))
    }

    /// Sets properties from bytes, which need not be UTF-8.
    package func set(textBytes: [UInt8]) throws(NaluError) {
        try core.setProperties(PropertyText.read(textBytes))
    }

    /// Every writable property that is not at its default, in the form that ``set(text:)`` reads; "" if there is none.
    /// A new session of the same size becomes the same with this text.
    ///
    /// - Throws: ``Status/invalidSession``.
    public var propertiesText: String {
        get throws(NaluError) { try core.propertiesText() }
    }

    /// Sets the properties of a preset: all of them, or on failure none.
    ///
    /// - Throws: what ``set(_:)`` throws.
    public func set(preset: CompressionPreset) throws(NaluError) {
        try core.setProperties(preset.settings(of: core.encoder.traits))
    }

    /// The same for a preset of the library, or of the session's encoder, by its name.
    package func set(presetNamed name: String) throws(NaluError) {
        try core.setProperties(CompressionPreset.settings(named: name, of: core.encoder.traits))
    }
}
