/// What a sample says of its dependencies, after CoreMedia's kCMSampleAttachmentKey_ names.
public struct SampleAttachments: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Not a key frame: decoding cannot start here.
    public static let notSync = SampleAttachments(rawValue: 1 << 0)
    /// Refers to other frames.
    public static let dependsOnOthers = SampleAttachments(rawValue: 1 << 1)
    /// Other frames may refer to it; absent on frames that can be dropped.
    public static let isDependedOnByOthers = SampleAttachments(rawValue: 1 << 2)
    /// Later samples may be displayed earlier than this one.
    public static let earlierDisplayTimesAllowed = SampleAttachments(rawValue: 1 << 3)
    /// Not IDR, but a recovery point: decoding can start here, without the samples that follow and are shown earlier.
    public static let partialSync = SampleAttachments(rawValue: 1 << 4)
    /// To be decoded and not displayed: an edit list hides it, and samples that are displayed may refer to it.
    public static let doNotDisplay = SampleAttachments(rawValue: 1 << 5)

    package static let all: SampleAttachments = [
        .notSync, .dependsOnOthers, .isDependedOnByOthers, .earlierDisplayTimesAllowed, .partialSync, .doNotDisplay,
    ]
}
