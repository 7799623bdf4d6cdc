/// How a sample is to be decoded, with the numbers of the C header.
public struct DecodeFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Return at once: the session's thread decodes.
    public static let asynchronous = DecodeFlags(rawValue: 1 << 0)
    /// Decode the sample, and give no image for it.
    public static let doNotOutput = DecodeFlags(rawValue: 1 << 1)
    /// A hint that is not needed.
    public static let realTimePlayback = DecodeFlags(rawValue: 1 << 2)
    /// A hint that is not needed.
    public static let temporalProcessing = DecodeFlags(rawValue: 1 << 3)

    static let all: DecodeFlags = [.asynchronous, .doNotOutput, .realTimePlayback, .temporalProcessing]
}

/// What is said of a sample, with the numbers of the C header.
public struct DecodeInfoFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The sample's call is still to come; in the call: it was given with ``DecodeFlags/asynchronous``.
    public static let asynchronous = DecodeInfoFlags(rawValue: 1 << 0)
    /// The picture was left out on purpose.
    public static let frameDropped = DecodeInfoFlags(rawValue: 1 << 1)
    /// The session has done with the image.
    public static let imageBufferModifiable = DecodeInfoFlags(rawValue: 1 << 2)
    /// The sample comes before the recovery point at which decoding began.
    public static let skippedLeadingFrameDropped = DecodeInfoFlags(rawValue: 1 << 3)
    /// A part of the picture, or of one that it refers to, is made up.
    public static let damaged = DecodeInfoFlags(rawValue: 1 << 16)
    /// The rows of the image are two fields in turn.
    public static let interlaced = DecodeInfoFlags(rawValue: 1 << 17)
    /// The field with the second row is the earlier one.
    public static let bottomFieldFirst = DecodeInfoFlags(rawValue: 1 << 18)
}
