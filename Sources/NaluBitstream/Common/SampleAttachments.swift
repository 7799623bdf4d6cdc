/// The dependencies of a sample, named after CoreMedia's kCMSampleAttachmentKey_ constants.
public struct SampleAttachments: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The sample is not a key frame, so decoding cannot start with it, unless ``partialSync`` is set.
    public static let notSync = SampleAttachments(rawValue: 1 << 0)
    /// The frame refers to other frames.
    public static let dependsOnOthers = SampleAttachments(rawValue: 1 << 1)
    /// Other frames may refer to this one. Absent on frames that can be dropped.
    public static let isDependedOnByOthers = SampleAttachments(rawValue: 1 << 2)
    /// Later samples may be displayed earlier than this one.
    public static let earlierDisplayTimesAllowed = SampleAttachments(rawValue: 1 << 3)
    /// A recovery point that is not IDR. Decoding can start here. Later samples that are displayed earlier then cannot
    /// be decoded.
    public static let partialSync = SampleAttachments(rawValue: 1 << 4)
    /// The sample is decoded but not displayed: an edit list hides it, and displayed samples may refer to it.
    public static let doNotDisplay = SampleAttachments(rawValue: 1 << 5)

    /// Creates the attachments of a picture.
    ///
    /// - Parameters:
    ///   - isRecoveryPoint: whether decoding can start with the picture, which a key frame need not state.
    ///   - precedesEarlier: whether later pictures may be displayed earlier.
    package init(isKey: Bool, isRecoveryPoint: Bool, isIntra: Bool, isReference: Bool, precedesEarlier: Bool) {
        self = []
        if !isKey { insert(isRecoveryPoint ? [.notSync, .partialSync] : .notSync) }
        if !isIntra { insert(.dependsOnOthers) }
        if isReference { insert(.isDependedOnByOthers) }
        if precedesEarlier { insert(.earlierDisplayTimesAllowed) }
    }

    package static let all: SampleAttachments = [
        .notSync, .dependsOnOthers, .isDependedOnByOthers, .earlierDisplayTimesAllowed, .partialSync, .doNotDisplay,
    ]
}
