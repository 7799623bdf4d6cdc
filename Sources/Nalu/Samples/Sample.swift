/// One encoded frame: the NAL units of an access unit, or of both fields of a frame, with times and dependency flags; or
/// one packet of audio.
///
/// Immutable and usable from any thread; it outlives its session.
///
/// `@unchecked Sendable`: the bytes are written before init returns and never again. The refcon is the client's own
/// pointer, which Nalu returns and never dereferences.
@safe
public final class Sample: @unchecked Sendable {
    /// Parameter sets, size and colour of the stream.
    public let formatDescription: FormatDescription
    /// The presentation time, exactly as it was passed with the frame.
    public let presentationTime: MediaTime
    /// The decode time. It grows from sample to sample and is never after the presentation time.
    public let decodeTime: MediaTime
    /// The duration, exactly as it was passed with the frame; invalid if there was none.
    public let duration: MediaTime
    public let attachments: SampleAttachments
    /// The mean luma QP over the macroblocks of the frame: 0 (finest) to 51, at 10 bits -12 to 51. NaN if the encoder
    /// does not report it.
    public let averageQP: Double
    /// The refcon that was passed with the frame.
    public let frameRefcon: UnsafeMutableRawPointer?
    /// The token with which a receiver acknowledges the sample, for ``FrameOptions/acknowledgedLTRTokens``; nil without
    /// EnableLTR.
    public let ltrAcknowledgementToken: Int64?
    /// The ``ltrAcknowledgementToken`` of the only sample to which this sample refers; nil for an intra frame, and without
    /// EnableLTR.
    public let ltrReferenceToken: Int64?
    /// The difference between the decoded picture and the frame, with CalculateMeanSquaredError; otherwise nil.
    public let qualityMetrics: QualityMetrics?
    /// The parsed slices; nil for a sample that no reader made.
    package let slices: PictureSlices?
    /// Whether ``duration`` may be that of the display. False if a reader knows only a nominal duration, or the distance
    /// to the next decode time.
    package let lastsForDuration: Bool
    /// The place in the displayed ranges of an edit list; ``EditPlace/single`` for a sample that no reader made.
    package let editPlace: EditPlace
    private let owner: Owner

    /// The owner of the bytes.
    @safe
    private enum Owner {
        case sample(UnsafeMutableRawBufferPointer)
        /// Memory of `SampleFacts.copy`.
        case copy(UnsafeMutableRawBufferPointer)
        case lender(UnsafeRawBufferPointer, ReleaseCallback?, UnsafeMutableRawPointer?)
        case swiftLender(UnsafeRawBufferPointer, @Sendable () -> Void)
        /// Bytes that live as long as the object.
        case object(UnsafeRawBufferPointer, any SampleMemory)
    }

    /// A function that is called once with its refcon when a wrapping sample is freed, from any thread.
    public typealias ReleaseCallback = @convention(c) (_ releaseRefcon: UnsafeMutableRawPointer?) -> Void

    /// Creates a sample that owns `storage`, which contains NAL units with 4-byte length prefixes.
    init(
        formatDescription: FormatDescription, owning storage: UnsafeMutableRawBufferPointer,
        presentationTime: MediaTime, decodeTime: MediaTime, duration: MediaTime, attachments: SampleAttachments,
        averageQP: Double, frameRefcon: UnsafeMutableRawPointer?, ltrAcknowledgementToken: Int64? = nil,
        ltrReferenceToken: Int64? = nil, qualityMetrics: QualityMetrics? = nil
    ) {
        self.qualityMetrics = qualityMetrics
        self.ltrReferenceToken = ltrReferenceToken
        self.ltrAcknowledgementToken = ltrAcknowledgementToken
        self.formatDescription = formatDescription
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.duration = duration
        self.attachments = attachments
        self.averageQP = averageQP
        unsafe self.frameRefcon = frameRefcon
        slices = nil
        lastsForDuration = true
        editPlace = .single
        owner = unsafe .sample(storage)
    }

    /// Creates a sample with a copy of `data`.
    convenience init(
        formatDescription: FormatDescription, data: UnsafeRawBufferPointer, presentationTime: MediaTime,
        decodeTime: MediaTime, duration: MediaTime, attachments: SampleAttachments, averageQP: Double,
        frameRefcon: UnsafeMutableRawPointer?
    ) {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 1)
        unsafe storage.copyMemory(from: data)
        unsafe self.init(
            formatDescription: formatDescription, owning: storage, presentationTime: presentationTime,
            decodeTime: decodeTime, duration: duration, attachments: attachments, averageQP: averageQP,
            frameRefcon: frameRefcon)
    }

    /// Creates a sample from checked facts.
    private init(
        _ facts: SampleFacts, owner: Owner, slices: PictureSlices? = nil, lastsForDuration: Bool = true,
        editPlace: EditPlace = .single
    ) {
        self.slices = slices
        self.lastsForDuration = lastsForDuration
        self.editPlace = editPlace
        formatDescription = facts.formatDescription
        presentationTime = facts.presentationTime
        decodeTime = facts.decodeTime
        duration = facts.duration
        attachments = facts.attachments
        averageQP = .nan
        unsafe frameRefcon = nil
        ltrAcknowledgementToken = nil
        ltrReferenceToken = nil
        qualityMetrics = nil
        self.owner = owner
    }

    /// Creates the same sample with another decode time, which must be numeric and not after the presentation time. It
    /// shares the bytes of `other`.
    init(_ other: Sample, decodeTime: MediaTime) {
        formatDescription = other.formatDescription
        presentationTime = other.presentationTime
        self.decodeTime = decodeTime
        duration = other.duration
        attachments = other.attachments
        averageQP = other.averageQP
        unsafe frameRefcon = other.frameRefcon
        slices = other.slices
        lastsForDuration = other.lastsForDuration
        editPlace = other.editPlace
        ltrAcknowledgementToken = other.ltrAcknowledgementToken
        ltrReferenceToken = other.ltrReferenceToken
        qualityMetrics = other.qualityMetrics
        owner = unsafe .swiftLender(other.data) { withExtendedLifetime(other) {} }
    }

    /// Returns the same sample with a filler data NAL unit at the end (ITU-T H.264 7.3.2.7). `count` is the size of
    /// that NAL unit in bytes, with its length prefix; at least 6 are added.
    func adding(filler count: Int) -> Sample {
        let size = max(count, 6)
        let (own, all) = unsafe (data.count, data.count + size)
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: all, alignment: 1)
        unsafe storage.copyMemory(from: data)
        for index in 0..<4 {
            unsafe storage[own + index] = UInt8(truncatingIfNeeded: (size - 4) >> (24 - 8 * index))
        }
        // Type 12 is filler data: ff_bytes and the trailing bits.
        unsafe storage[own + 4] = 12
        for index in own + 5..<all - 1 { unsafe storage[index] = 0xff }
        unsafe storage[all - 1] = 0x80
        return unsafe Sample(
            formatDescription: formatDescription, owning: storage, presentationTime: presentationTime,
            decodeTime: decodeTime, duration: duration, attachments: attachments, averageQP: averageQP,
            frameRefcon: frameRefcon, ltrAcknowledgementToken: ltrAcknowledgementToken,
            ltrReferenceToken: ltrReferenceToken, qualityMetrics: qualityMetrics)
    }

    deinit {
        switch owner {
        case .sample(let storage): unsafe storage.deallocate()
        case .copy(let storage): unsafe SampleFacts.release(storage)
        case .lender(_, let release, let refcon): unsafe release?(refcon)
        case .swiftLender(_, let onRelease): onRelease()
        case .object: break
        }
    }

    public var isKeyFrame: Bool { !attachments.contains(.notSync) }

    /// The NAL units, each after a big-endian length of ``FormatDescription/lengthSize`` bytes: 4 in a session's
    /// samples; or one packet of audio, without a length. Valid as long as the sample lives.
    public var data: UnsafeRawBufferPointer {
        switch owner {
        case .sample(let storage), .copy(let storage): UnsafeRawBufferPointer(storage)
        case .lender(let bytes, _, _), .swiftLender(let bytes, _), .object(let bytes, _): unsafe bytes
        }
    }

    /// The object that owns the bytes of ``data``; nil if the sample or a client owns them.
    package var memory: (any SampleMemory)? {
        if case .object(_, let memory) = owner { memory } else { nil }
    }

    /// A copy of ``data``.
    public var bytes: [UInt8] {
        unsafe [UInt8](data)
    }

    /// The number of NAL units.
    public var nalUnitCount: Int {
        var count = 0
        var offset = 0
        while unsafe nextNALUnit(offset: &offset) != nil {
            count += 1
        }
        return count
    }

    /// Returns one NAL unit with its header byte; nil after the last one. Valid as long as the sample lives.
    ///
    /// Each call walks from the first NAL unit; ``nextNALUnit(offset:)`` visits all of them in less time.
    public func nalUnit(at index: Int) -> UnsafeRawBufferPointer? {
        guard index >= 0 else { return nil }
        var offset = 0
        for _ in 0..<index {
            guard unsafe nextNALUnit(offset: &offset) != nil else { return nil }
        }
        return unsafe nextNALUnit(offset: &offset)
    }

    /// Returns the NAL unit at `offset` in ``data``, with its header byte; nil after the last one. Start with 0; each
    /// call advances `offset`. Valid as long as the sample lives.
    public func nextNALUnit(offset: inout Int) -> UnsafeRawBufferPointer? {
        // The data are the encoder's own or have been checked. Only an offset that is not from this walk ends it early.
        unsafe (try? LengthPrefixed.next(in: data, lengthSize: lengthSize, offset: &offset)) ?? nil
    }

    private var lengthSize: Int { formatDescription.lengthSize }
}

// MARK: - From bytes

extension Sample {
    /// Creates a sample from bytes, which are copied: at least one NAL unit, each after a length prefix of
    /// ``FormatDescription/lengthSize`` bytes, and nothing else.
    ///
    /// `presentationTime` is numeric. `duration` is numeric and not negative, or invalid for none. `decodeTime` is
    /// numeric and not after the presentation time, or invalid for the presentation time itself.
    ///
    /// Throws `.badData` for lengths that are cut off, zero, or do not add up, and for no NAL unit. Throws
    /// `.invalidTime` for any other time. Throws `.parameter` for unknown attachments, and for `.partialSync` without
    /// `.notSync`. Throws `.allocationFailed`.
    public convenience init(
        copying data: UnsafeRawBufferPointer, formatDescription: FormatDescription, presentationTime: MediaTime,
        duration: MediaTime = .invalid, decodeTime: MediaTime = .invalid, attachments: SampleAttachments = []
    ) throws(NaluError) {
        let facts = try SampleFacts(
            formatDescription, presentationTime: presentationTime, duration: duration, decodeTime: decodeTime,
            attachments: attachments)
        try unsafe facts.check(data)
        self.init(facts, owner: unsafe .copy(try SampleFacts.copy(of: data)))
    }

    /// Creates a sample from an array, which is copied. Throws as
    /// ``init(copying:formatDescription:presentationTime:duration:decodeTime:attachments:)-(UnsafeRawBufferPointer,_,_,_,_,_)``
    /// does.
    public convenience init(
        copying data: [UInt8], formatDescription: FormatDescription, presentationTime: MediaTime,
        duration: MediaTime = .invalid, decodeTime: MediaTime = .invalid, attachments: SampleAttachments = []
    ) throws(NaluError) {
        let facts = try SampleFacts(
            formatDescription, presentationTime: presentationTime, duration: duration, decodeTime: decodeTime,
            attachments: attachments)
        let storage = unsafe try data.withBytes { (bytes) throws(NaluError) in
            try unsafe facts.check(bytes)
            return unsafe try SampleFacts.copy(of: bytes)
        }
        self.init(facts, owner: unsafe .copy(storage))
    }

    /// Creates a sample without copying the bytes. They must stay in place and unchanged until `release` is called with
    /// `refcon`. If `release` is nil, they must stay until the sample is freed. If this initializer throws, `release`
    /// is not called.
    public convenience init(
        wrapping data: UnsafeRawBufferPointer, release: ReleaseCallback?, refcon: UnsafeMutableRawPointer?,
        formatDescription: FormatDescription, presentationTime: MediaTime, duration: MediaTime = .invalid,
        decodeTime: MediaTime = .invalid, attachments: SampleAttachments = []
    ) throws(NaluError) {
        let facts = try SampleFacts(
            formatDescription, presentationTime: presentationTime, duration: duration, decodeTime: decodeTime,
            attachments: attachments)
        try unsafe facts.check(data)
        self.init(facts, owner: unsafe .lender(data, release, refcon))
    }

    /// Creates a sample without copying the bytes. They must stay in place and unchanged until `onRelease` is called,
    /// once, from any thread. If this initializer throws, `onRelease` is not called.
    public convenience init(
        wrapping data: UnsafeRawBufferPointer, onRelease: @escaping @Sendable () -> Void,
        formatDescription: FormatDescription, presentationTime: MediaTime, duration: MediaTime = .invalid,
        decodeTime: MediaTime = .invalid, attachments: SampleAttachments = []
    ) throws(NaluError) {
        let facts = try SampleFacts(
            formatDescription, presentationTime: presentationTime, duration: duration, decodeTime: decodeTime,
            attachments: attachments)
        try unsafe facts.check(data)
        self.init(facts, owner: unsafe .swiftLender(data, onRelease))
    }
}

/// An object that owns the bytes of a sample.
package protocol SampleMemory: AnyObject, Sendable {}

extension Sample {
    /// Wraps bytes without copying them: NAL units after their length prefixes, which the caller has checked. They live as long as
    /// `memory`.
    ///
    /// Throws `.invalidTime` and `.parameter` as
    /// ``init(copying:formatDescription:presentationTime:duration:decodeTime:attachments:)-(UnsafeRawBufferPointer,_,_,_,_,_)``
    /// does.
    package convenience init(
        checked data: UnsafeRawBufferPointer, of memory: any SampleMemory, formatDescription: FormatDescription,
        presentationTime: MediaTime, duration: MediaTime, decodeTime: MediaTime, attachments: SampleAttachments,
        slices: PictureSlices?, lastsForDuration: Bool = true, editPlace: EditPlace = .single
    ) throws(NaluError) {
        let facts = try SampleFacts(
            formatDescription, presentationTime: presentationTime, duration: duration, decodeTime: decodeTime,
            attachments: attachments)
        self.init(
            facts, owner: unsafe .object(data, memory), slices: slices, lastsForDuration: lastsForDuration,
            editPlace: editPlace)
    }

    /// Creates a sample with a copy of bytes that the caller has checked.
    package convenience init(
        copyingChecked data: [UInt8], formatDescription: FormatDescription,
        presentationTime: MediaTime, duration: MediaTime, decodeTime: MediaTime, attachments: SampleAttachments,
        slices: PictureSlices?, lastsForDuration: Bool = true, editPlace: EditPlace = .single
    ) throws(NaluError) {
        let facts = try SampleFacts(
            formatDescription, presentationTime: presentationTime, duration: duration, decodeTime: decodeTime,
            attachments: attachments)
        let storage = unsafe try data.withBytes { (bytes) throws(NaluError) in unsafe try SampleFacts.copy(of: bytes) }
        self.init(
            facts, owner: unsafe .copy(storage), slices: slices, lastsForDuration: lastsForDuration,
            editPlace: editPlace)
    }

    /// Creates a sample with the same bytes and another format description, decode time and attachments.
    ///
    /// Throws `.badData` if lengths of the size that `formatDescription` names do not add up; `.invalidTime` and `.parameter`.
    package convenience init(
        _ other: Sample, formatDescription: FormatDescription, decodeTime: MediaTime, attachments: SampleAttachments
    ) throws(NaluError) {
        try unsafe self.init(
            wrapping: other.data, onRelease: { withExtendedLifetime(other) {} }, formatDescription: formatDescription,
            presentationTime: other.presentationTime, duration: other.duration, decodeTime: decodeTime,
            attachments: attachments)
    }

    /// Calls `body` with ``data``.
    package func withBytes<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        defer { withExtendedLifetime(self) {} }
        try body(unsafe Span(_unsafeBytes: data))
    }

    /// Calls `body` with each NAL unit, in order.
    package func forEachUnit<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        defer { withExtendedLifetime(self) {} }
        var offset = 0
        while let unit = unsafe nextNALUnit(offset: &offset) { try body(unsafe Span(_unsafeBytes: unit)) }
    }

    /// Returns the first result of `body`, called with each NAL unit in order, that is not nil; nil if there is none.
    package func firstResult<Result>(_ body: (Span<UInt8>) -> Result?) -> Result? {
        defer { withExtendedLifetime(self) {} }
        var offset = 0
        while let unit = unsafe nextNALUnit(offset: &offset) {
            if let result = body(unsafe Span(_unsafeBytes: unit)) { return result }
        }
        return nil
    }

    /// The times that reveal losses.
    package var lossTimes: PictureTimes {
        PictureTimes(presentation: presentationTime, duration: lastsForDuration ? duration : .invalid)
    }

    /// Whether decoding can begin with the sample.
    package var isStart: Bool { isKeyFrame || attachments.contains(.partialSync) }

    /// Whether the sample is decoded and not displayed.
    package var isHidden: Bool { attachments.contains(.doNotDisplay) }
}

// MARK: - Annex B

extension Sample {
    /// The samples before which ``annexB(parameterSets:)`` writes the parameter sets.
    public enum ParameterSets: Int32, Sendable {
        case atKeyFrames = 0
        case never = 1
        case always = 2
    }

    /// Returns the size of the sample in Annex B form, in bytes.
    public func annexBSize(parameterSets: ParameterSets = .atKeyFrames) -> Int {
        unsafe (includes(parameterSets) ? formatDescription.annexBParameterSets.count : 0) + ownAnnexBSize
    }

    /// Writes the sample in Annex B form and returns the number of bytes written. Throws ``Status/bufferTooSmall``.
    public func writeAnnexB(
        parameterSets: ParameterSets = .atKeyFrames, into buffer: UnsafeMutableRawBufferPointer
    ) throws(NaluError) -> Int {
        try formatDescription.requireVideo()
        let size = annexBSize(parameterSets: parameterSets)
        guard buffer.count >= size else {
            throw NaluError(
                .bufferTooSmall, "capacity is \(buffer.count) bytes; expected at least \(size), the size of the sample")
        }
        let lengthSize = lengthSize
        func write(_ part: Range<Int>, at start: Int) throws(NaluError) {
            var needed = 0
            unsafe try LengthPrefixed.toAnnexB(
                UnsafeRawBufferPointer(rebasing: data[part]), lengthSize: lengthSize,
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]), needed: &needed)
        }
        guard includes(parameterSets) else {
            unsafe try write(0..<data.count, at: 0)
            return size
        }
        let sets = unsafe formatDescription.annexBParameterSets
        let delimiter = delimiterSize
        var start = 0
        if delimiter > 0 {
            try write(0..<delimiter, at: 0)
            start = delimiter - lengthSize + LengthPrefixed.startCodeSize
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + sets.count]).copyMemory(from: sets)
        unsafe try write(delimiter..<data.count, at: start + sets.count)
        return size
    }

    /// Returns the sample in Annex B form, ready to be appended to a file or stream.
    public func annexB(parameterSets: ParameterSets = .atKeyFrames) -> [UInt8] {
        unsafe [UInt8](capacity: annexBSize(parameterSets: parameterSets)) { buffer in
            // The buffer has the requested size and the data are valid, so nothing throws here.
            unsafe (try? writeAnnexB(parameterSets: parameterSets, into: buffer)) ?? 0
        }
    }

    /// The size of the NAL units with start codes, without the parameter sets of the format description.
    private var ownAnnexBSize: Int {
        if formatDescription.audio != nil { return 0 }
        // Start codes are as long as the lengths that they replace.
        if lengthSize == LengthPrefixed.startCodeSize { return unsafe data.count }
        return unsafe (try? LengthPrefixed.annexBSize(data, lengthSize: lengthSize)) ?? 0
    }

    /// The size of the access unit delimiter at the beginning of the sample, with its length prefix; 0 if there is
    /// none. Nothing may precede a delimiter in its access unit, not even parameter sets (ITU-T H.264 7.4.1.2.3, H.265
    /// 7.4.2.4.4).
    private var delimiterSize: Int {
        var offset = 0
        guard let unit = unsafe nextNALUnit(offset: &offset) else { return 0 }
        let isDelimiter =
            formatDescription.codec == FormatDescription.hevc
            ? unsafe HEVCUnitHeader(of: unit)?.type == .accessUnitDelimiter
            : unsafe NALUnitHeader(of: unit)?.type == .accessUnitDelimiter
        return isDelimiter ? offset : 0
    }

    private func includes(_ parameterSets: ParameterSets) -> Bool {
        switch parameterSets {
        case .atKeyFrames: isKeyFrame || attachments.contains(.partialSync)
        case .never: false
        case .always: true
        }
    }
}
