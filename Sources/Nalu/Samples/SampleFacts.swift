private import NaluLibc

/// The properties of a sample that a client creates, checked.
struct SampleFacts {
    let formatDescription: FormatDescription
    let presentationTime: MediaTime
    let duration: MediaTime
    let decodeTime: MediaTime
    let attachments: SampleAttachments

    init(
        _ formatDescription: FormatDescription, presentationTime: MediaTime, duration: MediaTime,
        decodeTime: MediaTime, attachments: SampleAttachments
    ) throws(NaluError) {
        guard presentationTime.isNumeric else {
            throw NaluError(.invalidTime, "presentation_time is \(presentationTime); expected a numeric time")
        }
        guard !duration.isValid || (duration.isNumeric && duration.value >= 0) else {
            throw NaluError(
                .invalidTime,
                "duration is \(duration); expected a numeric time that is not negative, or the invalid time")
        }
        guard !decodeTime.isValid || (decodeTime.isNumeric && decodeTime <= presentationTime) else {
            throw NaluError(
                .invalidTime,
                "decode_time is \(decodeTime); expected at most the presentation time, \(presentationTime), "
                    + "or the invalid time")
        }
        guard SampleAttachments.all.isSuperset(of: attachments) else {
            throw NaluError(
                .parameter, "attachments is 0x\(String(attachments.rawValue, radix: 16)); expected NALU_SAMPLE_ flags")
        }
        guard !attachments.contains(.partialSync) || attachments.contains(.notSync) else {
            throw NaluError(
                .parameter, "attachments has PARTIAL_SYNC; expected NOT_SYNC with it: a key frame has neither")
        }
        self.formatDescription = formatDescription
        self.presentationTime = presentationTime
        self.duration = duration.isValid ? duration : .invalid
        self.decodeTime = decodeTime.isValid ? decodeTime : presentationTime
        self.attachments = attachments
    }

    /// Throws unless the bytes are at least one NAL unit, each after its length prefix, or for audio at least one byte.
    func check(_ data: UnsafeRawBufferPointer) throws(NaluError) {
        if formatDescription.audio != nil {
            guard data.count > 0 else { throw NaluError(.badData, "size is 0; expected the bytes of an audio packet") }
            return
        }
        guard data.count > 0 else {
            throw NaluError(.badData, "size is 0; expected at least one NAL unit after its length prefix")
        }
        unsafe try LengthPrefixed.forEachUnit(in: data, lengthSize: formatDescription.lengthSize) { _ in }
    }

    /// Copies the bytes. Throws `.allocationFailed`, because a client's data may exceed the free memory.
    static func copy(of data: UnsafeRawBufferPointer) throws(NaluError) -> UnsafeMutableRawBufferPointer {
        guard let memory = unsafe malloc(max(data.count, 1)) else {
            throw NaluError(.allocationFailed, "\(data.count) bytes for a sample could not be allocated")
        }
        let storage = unsafe UnsafeMutableRawBufferPointer(start: memory, count: data.count)
        unsafe storage.copyMemory(from: data)
        return unsafe storage
    }

    /// Frees the memory of `copy`. Call it once.
    @unsafe
    static func release(_ storage: UnsafeMutableRawBufferPointer) {
        unsafe free(storage.baseAddress)
    }
}
