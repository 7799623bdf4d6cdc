/// Makes the samples of a session from the pictures of its encoders.
struct SampleMaker {
    private var format: FormatDescription
    private let reorders: Bool
    /// Whether a sample has the token that acknowledges it, which is so with EnableLTR.
    private let hasTokens: Bool
    private var numbering: IDRNumbering
    /// Whether some pictures are no references, although the encoder wrote them as such.
    private let hasLayers: Bool
    /// The position of the picture in output order since the last IDR picture.
    private var place = 0
    /// The new frame numbers; nil without EnableLTR and temporal layers, when the encoder's own numbers stay.
    private var frameNumbers: FrameNumbering?
    private var rewriter: SliceRewriter?

    init(_ open: SessionState.OpenEncoder, encoder: any VideoEncoder) {
        self.init(
            open, format: encoder.formatDescription, rewriter: encoder.sliceRewriter,
            makesLayers: open.setup.configuration.hasTemporalLayers && !encoder.hasOwnLayers,
            alternates: encoder.alternatesIDRNumbers)
    }

    private init(
        _ open: SessionState.OpenEncoder, format: FormatDescription, rewriter: SliceRewriter?, makesLayers: Bool,
        alternates: Bool
    ) {
        self.format = format
        self.rewriter = rewriter
        reorders = open.reorderDepth > 0
        hasTokens = open.setup.configuration.enableLTR
        numbering = IDRNumbering(
            followsAnother: open.setup.configuration.moreFramesBeforeStart, encoderAlternates: alternates)
        hasLayers = makesLayers
        if hasTokens || hasLayers, let rewriter {
            frameNumbers = FrameNumbering(sourceBits: rewriter.sequence.frameNumberBits)
        }
    }

    mutating func encoderWasOpened(_ format: FormatDescription) {
        numbering.encoderWasOpened()
        // The same parameter sets make an equal description. Samples continue to share the first one.
        if format != self.format {
            self.format = format
        }
    }

    mutating func beginPass(of open: SessionState.OpenEncoder) {
        self = SampleMaker(
            open, format: format, rewriter: rewriter, makesLayers: hasLayers, alternates: numbering.encoderAlternates)
    }

    /// Notes that the last sample is not delivered. `before` is the IDR numbering before that sample.
    mutating func takeBack(to before: IDRNumbering) {
        numbering = before
        numbering.pictureWasDropped()
        frameNumbers?.leaveOut()
    }

    /// Makes a sample. `reference` is the number of the frame that the picture refers to, if known. Throws
    /// `.encoderMalfunction` for a picture that cannot be rewritten.
    mutating func make(
        _ picture: EncodedPicture, of record: FrameRecord, decodeTime: MediaTime, reference: UInt64?
    ) throws(NaluError) -> Sample {
        let number = numbering.number(isKeyFrame: picture.isKeyFrame, time: record.presentationTime)
        let bytes = unsafe try bytes(picture.data, idrPictureID: number, isReference: picture.isReference)
        // The frame numbers of later pictures do not count this one.
        if hasLayers && !picture.isReference { frameNumbers?.leaveOut() }
        return unsafe Sample(
            formatDescription: format, owning: bytes, presentationTime: record.presentationTime,
            decodeTime: decodeTime, duration: record.duration,
            attachments: SampleAttachments(of: picture, reorders: reorders), averageQP: picture.averageQP,
            frameRefcon: record.refcon, ltrAcknowledgementToken: hasTokens ? Int64(clamping: record.number) : nil,
            ltrReferenceToken: hasTokens ? reference.map { Int64(clamping: $0) } : nil,
            qualityMetrics: picture.quality)
    }

    /// Returns a copy of the picture's bytes, with the numbers of this stream.
    private mutating func bytes(
        _ data: UnsafeRawBufferPointer, idrPictureID: Int?, isReference: Bool
    ) throws(NaluError) -> UnsafeMutableRawBufferPointer {
        guard idrPictureID != nil || frameNumbers != nil, rewriter != nil else {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
            unsafe memory.copyMemory(from: data)
            return unsafe memory
        }
        do throws(NaluError) {
            return unsafe try rewritten(data, idrPictureID: idrPictureID, isReference: isReference)
        } catch {
            throw NaluError(.encoderMalfunction, "the encoder's picture cannot be rewritten:  \(error.message)")
        }
    }

    private mutating func rewritten(
        _ data: UnsafeRawBufferPointer, idrPictureID: Int?, isReference: Bool
    ) throws(NaluError) -> UnsafeMutableRawBufferPointer {
        guard var rewriter else { throw NaluError(.encoderMalfunction, "the encoder's slices cannot be rewritten") }
        // The rewriter is moved out of the property, so that its memory is reused and not copied.
        self.rewriter = nil
        defer { self.rewriter = rewriter }
        if let header = unsafe try rewriter.firstHeader(of: data) {
            frameNumbers?.advance(to: header)
            place = header.isIDR ? 0 : place + 1
        }
        let (numbers, bits, hasLayers, place) = (frameNumbers, rewriter.frameNumberBits, hasLayers, place)
        // See X264Parameters.frameNumberBits: a shorter slice_type adds the bits that whole bytes lack.
        let shortensType = bits - rewriter.sequence.frameNumberBits > 8
        func edit(_ header: inout SliceHeaderSyntax) throws(NaluError) {
            try numbers?.apply(to: &header, bits: bits)
            if let idrPictureID { header.idrPictureID = idrPictureID }
            if hasLayers {
                if !isReference { header.unitHeader = header.unitHeader.withoutReference }
                header.modification0.removeIfNeedless()
                // Two for each frame, one for each field of it.
                header.picOrderCountLSB = 2 * place & 0xFFFF
            }
            if shortensType { header.start.isTypeOfWholePicture = false }
        }
        let nothing = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let size = unsafe try rewriter.rewrite(picture: data, into: nothing, edit)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        do throws(NaluError) {
            _ = unsafe try rewriter.rewrite(picture: data, into: memory, edit)
            return unsafe memory
        } catch {
            unsafe memory.deallocate()
            throw error
        }
    }

    /// The IDR numbering, for ``takeBack(to:)``.
    var idrNumbering: IDRNumbering { numbering }
}

extension SampleAttachments {
    /// The dependencies of an encoder's picture. `reorders`: the stream's decode order may differ from its presentation
    /// order.
    init(of picture: EncodedPicture, reorders: Bool) {
        self.init(
            isKey: picture.isKeyFrame, isRecoveryPoint: picture.isRecoveryPoint, isIntra: picture.isIntra,
            isReference: picture.isReference,
            precedesEarlier: reorders && picture.isReference && !picture.isKeyFrame)
    }
}
