/// Options for one frame.
public struct FrameOptions: Sendable {
    /// Make this frame a key frame (IDR).
    public var forceKeyFrame: Bool
    /// Throw ``Status/wouldBlock`` instead of waiting while too many frames are pending.
    public var doNotWait: Bool
    /// The QP of the frame, 0 to 51; nil: rate control decides. Encode throws ``Status/conflict`` unless
    /// ``PropertyKey/supportsBaseFrameQP`` is true. Adaptive quantisation and x264's macroblock tree still vary the QP
    /// within the frame, between MinAllowedFrameQP and MaxAllowedFrameQP.
    public var baseFrameQP: Int?
    /// Region of interest: where the frame is finer or coarser than rate control makes it. Encode throws
    /// ``Status/conflict`` if the encoder runs without adaptive quantisation.
    public var qpOffsets: QPOffsets?
    /// Make this frame from acknowledged frames only (``acknowledgedLTRTokens``), or a key frame if the encoder holds
    /// none of them any more. The last key frame counts as acknowledged while the encoder holds it, at most for twice as
    /// many frames as the slowest acknowledgement took: a request that was made before it arrived is no reason for
    /// another. Needs EnableLTR.
    public var forceLTRRefresh = false
    /// ``Sample/ltrAcknowledgementToken`` of samples that the receiver has decoded without error. One token stands for
    /// everything that its sample was made from, and need be given once. At most ``mostTokens``. Needs EnableLTR.
    public var acknowledgedLTRTokens: [Int64] = []
    /// Begin an intra refresh with this frame, or when the one in progress is complete. Needs NaluAllowIntraRefresh.
    public var beginIntraRefresh = false
    /// Receives this frame instead of the session's handler, under the same rules.
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

/// Receives one encoded frame; ``CompressionSession`` has the rules.
public typealias OutputHandler = @Sendable (EncodedFrame) -> Void

/// What became of one accepted frame.
///
/// `@unchecked Sendable`: the refcon is the client's own pointer, which Nalu hands back and never follows.
@safe
public struct EncodedFrame: @unchecked Sendable {
    /// `.ok`, or why the frame gave no sample.
    public let status: Status
    public let flags: EncodeInfoFlags
    public let sample: Sample?
    /// What was given with the frame.
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

    /// From encode: the frame was accepted; its handler may run later.
    public static let asynchronous = EncodeInfoFlags(rawValue: 1 << 0)
    /// In the handler: the frame was dropped.
    public static let frameDropped = EncodeInfoFlags(rawValue: 1 << 1)
}
