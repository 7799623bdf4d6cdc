/// Options for one frame.
public struct FrameOptions: Sendable {
    /// Whether to make this frame a key frame (IDR).
    public var forceKeyFrame: Bool
    /// Whether to throw ``Status/wouldBlock`` instead of waiting while too many frames are pending.
    public var doNotWait: Bool
    /// The QP of the frame, 0 to 51; nil if rate control decides. Encoding throws ``Status/conflict`` unless
    /// ``PropertyKey/supportsBaseFrameQP`` is true. Adaptive quantisation and x264's macroblock tree still vary the QP
    /// within the frame, between MinAllowedFrameQP and MaxAllowedFrameQP.
    public var baseFrameQP: Int?
    /// A region of interest: the areas of the frame that are finer or coarser than rate control makes them. Encoding
    /// throws ``Status/conflict`` if the encoder runs without adaptive quantisation.
    public var qpOffsets: QPOffsets?
    /// Whether to encode this frame from acknowledged frames only (``acknowledgedLTRTokens``). It becomes a key frame
    /// if the encoder no longer holds any of them. The last key frame counts as acknowledged while the encoder holds
    /// it, at most for twice as many frames as the slowest acknowledgement took. A request that the receiver made
    /// before that key frame arrived is no reason for another. Needs EnableLTR.
    public var forceLTRRefresh = false
    /// The ``Sample/ltrAcknowledgementToken`` of samples that the receiver has decoded without error. One token also
    /// acknowledges everything that its sample was made from, and need be passed once. At most ``mostTokens``. Needs
    /// EnableLTR.
    public var acknowledgedLTRTokens: [Int64] = []
    /// Whether to begin an intra refresh with this frame, or when the one in progress is complete. Needs
    /// NaluAllowIntraRefresh.
    public var beginIntraRefresh = false
    /// A handler that receives this frame instead of the session's handler, under the same rules.
    public var outputHandler: OutputHandler?

    /// The most acknowledged tokens in the options of a frame.
    public static let mostTokens = 4096

    public init(
        forceKeyFrame: Bool = false, doNotWait: Bool = false, baseFrameQP: Int? = nil,
        qpOffsets: QPOffsets? = nil, outputHandler: OutputHandler? = nil
    ) {
        self.forceKeyFrame = forceKeyFrame
        self.doNotWait = doNotWait
        self.baseFrameQP = baseFrameQP
        self.qpOffsets = qpOffsets
        self.outputHandler = outputHandler
    }
}

/// A function that receives one encoded frame; ``CompressionSession`` has the rules.
public typealias OutputHandler = @Sendable (EncodedFrame) -> Void

/// The result of one accepted frame.
///
/// `@unchecked Sendable`: the refcon is the client's own pointer, which Nalu returns and never dereferences.
@safe
public struct EncodedFrame: @unchecked Sendable {
    /// `.ok`, or the status of a failure.
    public let status: Status
    public let flags: EncodeInfoFlags
    public let sample: Sample?
    /// The refcon that was passed with the frame.
    public let frameRefcon: UnsafeMutableRawPointer?

    package init(status: Status, flags: EncodeInfoFlags, sample: Sample?, frameRefcon: UnsafeMutableRawPointer?) {
        self.status = status
        self.flags = flags
        self.sample = sample
        unsafe self.frameRefcon = unsafe frameRefcon
    }
}

public struct EncodeInfoFlags: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Returned by encode: the frame was accepted, and its handler may run later.
    public static let asynchronous = EncodeInfoFlags(rawValue: 1 << 0)
    /// Passed to the handler: the frame was dropped.
    public static let frameDropped = EncodeInfoFlags(rawValue: 1 << 1)
}
