/// Makes the samples of a session from the pictures that come out of its encoders.
struct SampleMaker {
    private var format: FormatDescription
    private let reorders: Bool
    /// With EnableLTR a sample has the token that acknowledges it.
    private let hasTokens: Bool
    private var numbering: IDRNumbering

    init(_ open: SessionState.OpenEncoder, format: FormatDescription) {
        self.format = format
        reorders = open.reorderDepth > 0
        hasTokens = open.setup.configuration.enableLTR
        numbering = IDRNumbering(followsAnother: open.setup.configuration.moreFramesBeforeStart)
    }

    mutating func encoderWasOpened(_ format: FormatDescription) {
        numbering.encoderWasOpened()
        // The same parameter sets make an equal description; samples go on sharing the first one.
        if format != self.format {
            self.format = format
        }
    }

    mutating func beginPass(of open: SessionState.OpenEncoder) {
        self = SampleMaker(open, format: format)
    }

    /// The sample made last is not delivered. `before`: as this was before that.
    mutating func takeBack(to before: SampleMaker) {
        numbering = before.numbering
        numbering.pictureWasDropped()
    }

    /// `encoder`: the one that made the picture.
    mutating func make(
        _ picture: EncodedPicture, of record: FrameRecord, decodeTime: MediaTime, encoder: (any VideoEncoder)?
    ) -> Sample {
        func sample(_ data: UnsafeRawBufferPointer) -> Sample {
            unsafe Sample(
                formatDescription: format, data: data, presentationTime: record.presentationTime,
                decodeTime: decodeTime, duration: record.duration,
                attachments: SampleAttachments(of: picture, reorders: reorders), averageQP: picture.averageQP,
                frameRefcon: record.refcon, ltrAcknowledgementToken: hasTokens ? Int64(clamping: record.number) : nil,
                qualityMetrics: picture.quality)
        }
        if let number = numbering.number(isKeyFrame: picture.isKeyFrame, time: record.presentationTime),
            let bytes = encoder?.renumbered(picture, as: number)
        {
            return unsafe bytes.withUnsafeBytes { unsafe sample($0) }
        }
        return unsafe sample(picture.data)
    }
}

extension SampleAttachments {
    /// What an encoder says of a picture. `reorders`: the stream's decode order may differ from its presentation order.
    init(of picture: EncodedPicture, reorders: Bool) {
        self = []
        if !picture.isKeyFrame { insert(.notSync) }
        if picture.isRecoveryPoint { insert(.partialSync) }
        if !picture.isIntra { insert(.dependsOnOthers) }
        if picture.isReference { insert(.isDependedOnByOthers) }
        if reorders && picture.isReference && !picture.isKeyFrame {
            insert(.earlierDisplayTimesAllowed)
        }
    }
}
