/// The differences between encoders that a session must know before it opens one. ``VideoEncoder`` has the
/// differences that matter while frames are encoded.
struct EncoderTraits: Sendable {
    let codec: Codec
    let input: EncoderInput
    /// The encoder's own settings, none of them set.
    var options: any EncoderOptions = NoEncoderOptions()
    /// The properties of ``options``.
    var properties: [PropertyInfo] = []
    /// The properties of every session, of the codec or of VideoToolbox that the encoder does not have, each with the
    /// reason.
    var lacking: [UnsupportedProperty] = []
    /// Whether the rate may differ from frame to frame. If not, the session refuses changes of the rate, and does not
    /// correct it.
    var takesLiveRate = true
    /// Whether the encoder brings its rate to a new value within a second, also without a constant frame rate. If not,
    /// the session corrects the rate.
    var followsRateAtOnce = false
    /// Whether the encoder can use the statistics of an earlier pass.
    var hasPasses = false
    /// The property that balances speed and quality in the library's presets; nil if there is none.
    var presetKey: PropertyKey?
    /// The values of ``presetKey`` in the library's presets; nil restores the default.
    var presets: [CompressionPreset: PropertyValue] = [:]

    /// Every property of the encoder's sessions.
    var rows: [PropertyInfo] {
        candidates.filter { row in !lacking.contains { $0.key == row.key } }
    }

    /// The properties that the encoder's sessions have with one value only, ``UnsupportedProperty/off``.
    func offRows(encoderID: StaticString) -> [PropertyInfo] {
        candidates.compactMap { row in
            lacking.first { $0.key == row.key }.flatMap { row.only($0, encoderID: encoderID) }
        }
    }

    /// The properties of every session, of the codec and of the encoder.
    private var candidates: [PropertyInfo] {
        PropertyCatalog.common + [.profileLevel(of: [codec])] + codec.properties + properties
    }
}

/// The formats that an encoder reads, all of them 4:2:0. The first format of a depth and range is the one to which
/// frames of other formats are converted.
struct EncoderInput: Sendable {
    let formats: [PixelFormat]

    /// The formats of 8 and 10 bits. Samples of 10 bits are in the low bits of 16-bit words, where x264 and x265 read
    /// them. Clients' formats have them in the high bits.
    static let eightAndTenBits = EncoderInput(formats: [
        .nv12, .nv12FullRange, .i420, .i420FullRange, .encoder10, .encoder10FullRange,
    ])

    /// The format of a session whose client announces none.
    var usual: PixelFormat { formats.first ?? .nv12 }

    /// Returns the format to which frames are converted.
    func format(bitDepth: Int, isFullRange: Bool) -> PixelFormat {
        formats.first { $0.bitDepth == bitDepth && $0.isFullRange == isFullRange } ?? usual
    }
}

/// The settings of a session that only its encoder has, and their effects on the session.
protocol EncoderOptions: Hashable, Sendable {
    /// The setting that forbids lookahead, B-frames and delayed frames, for error messages; nil if none does.
    var settingWithoutDelay: String? { get }
    /// Whether the options set the rate, in place of the session's properties.
    var ownsRate: Bool { get }
    /// Whether a frame may have a QP of its own.
    var leavesQPToFrames: Bool { get }
    /// Whether a frame may have a QP of its own in a session with these properties.
    func leavesQPToFrames(in configuration: SessionConfiguration) -> Bool
    /// The advice for a client whose frames shall have a QP of their own, as a part of an error message.
    var adviceForFrameQP: String { get }
    /// Whether the options set the distance of key frames.
    var ownsKeyFrames: Bool { get }
    /// The least MaxFrameDelayCount with which the encoder can have B-frames.
    var leastDelayForReordering: Int { get }
    /// The options, for error messages.
    var summary: String { get }

    /// Whether the stream will have B-frames. `mayReorder` is what the session's properties allow.
    func reordersFrames(where mayReorder: Bool) -> Bool
    /// Throws `.conflict` for options that contradict each other, or a property of the session.
    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError)
}

extension EncoderOptions {
    var settingWithoutDelay: String? { nil }
    var ownsRate: Bool { false }
    var leavesQPToFrames: Bool { false }
    func leavesQPToFrames(in configuration: SessionConfiguration) -> Bool { leavesQPToFrames }
    var leastDelayForReordering: Int { 3 }
    var adviceForFrameQP: String { "use an encoder whose SupportsBaseFrameQP can be true" }
    var ownsKeyFrames: Bool { false }
    var summary: String { "the session" }
    func reordersFrames(where mayReorder: Bool) -> Bool { mayReorder }
    func checkConflicts(with configuration: SessionConfiguration) throws(NaluError) {}

    fileprivate func isEqual(to other: any EncoderOptions) -> Bool { (other as? Self) == self }
}

extension SessionConfiguration {
    /// Throws `.conflict` if PrioritizeEncodingSpeedOverQuality means another preset than the one that is set.
    func checkPreset(_ key: PropertyKey, _ preset: String?, derived: String) throws(NaluError) {
        guard prioritizeEncodingSpeedOverQuality == true, let preset, preset != derived else { return }
        throw NaluError(
            .conflict,
            "PrioritizeEncodingSpeedOverQuality true means \(key.rawValue) \"\(derived)\", and \"\(preset)\" is set; unset "
                + "one of them")
    }
}

/// The options of an encoder that has none.
struct NoEncoderOptions: EncoderOptions {}

/// The ``EncoderOptions`` of a session, of whatever type.
struct AnyEncoderOptions: Hashable, Sendable {
    var value: any EncoderOptions

    init(_ value: any EncoderOptions) { self.value = value }

    static func == (left: Self, right: Self) -> Bool { left.value.isEqual(to: right.value) }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
