/// Options for one frame.
public struct FrameOptions: Sendable {
    /// Make this frame a key frame (IDR).
    public var forceKeyFrame: Bool
    /// Throw ``Status/wouldBlock`` rather than wait when too many frames are pending.
    public var doNotWait: Bool
    /// 0 to 51: encode the frame with this QP. Where ``PropertyKey/supportsBaseFrameQP`` is false encode throws
    /// ``Status/conflict``. Adaptive quantisation and x264's macroblock tree still spread it within the frame, and it
    /// stays within MinAllowedFrameQP and MaxAllowedFrameQP.
    public var baseFrameQP: Int?
    /// Where the frame is to be finer or coarser than rate control makes it. Needs adaptive quantisation: encode throws
    /// ``Status/conflict`` where the encoder runs without.
    public var qpOffsets: QPOffsets?
    /// Make this frame from acknowledged frames alone (``acknowledgedLTRTokens``), or a key frame where the encoder holds
    /// none of them any more. Needs EnableLTR.
    public var forceLTRRefresh = false
    /// ``Sample/ltrAcknowledgementToken`` of samples that the receiver has decoded, with all that they were made from, each
    /// of which need be told once. At most ``mostTokens``. Needs EnableLTR.
    public var acknowledgedLTRTokens: [Int64] = []
    /// Begin an intra refresh with this frame, or when the one in progress is through. Needs NaluAllowIntraRefresh.
    public var beginIntraRefresh = false
    /// Receives this frame instead of the session's handler.
    public var outputHandler: OutputHandler?

    /// The most acknowledged tokens that a frame may bring.
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

/// Receives one frame; the contract is ``CompressionSession``'s.
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

    /// From encode: the frame will come back by the handler.
    public static let asynchronous = EncodeInfoFlags(rawValue: 1 << 0)
    /// In the handler: the frame was dropped.
    public static let frameDropped = EncodeInfoFlags(rawValue: 1 << 1)
}
