internal import Nalu
internal import NaluBase

/// Calls the client's handler once for each sample.
final class FrameDelivery {
    private let monitor: Monitor<DecoderState>

    init(_ monitor: Monitor<DecoderState>) {
        self.monitor = monitor
    }

    func call(
        _ record: SampleRecord, _ status: Status, _ flags: DecompressionSession.InfoFlags, _ image: PixelBuffer? = nil
    ) {
        let handler = (try? monitor.locked { $0.handler }) ?? nil
        unsafe handler?(
            DecompressionSession.Frame(
                status: status, flags: flags.union(record.info), image: image, frameRefcon: record.refcon,
                presentationTime: record.presentationTime, duration: record.duration))
        try? monitor.locked { state in
            state.finish(record.number)
            monitor.wake(.progress)
        }
    }

    /// Delivers a sample without a picture.
    func lose(_ record: SampleRecord, _ error: NaluError, _ flags: DecompressionSession.InfoFlags = []) {
        remember(error)
        call(record, error.status, flags)
    }

    /// Delivers a sample for which the decoder returned no picture.
    func lose(_ record: SampleRecord) {
        if record.isLeading && record.flags.contains(.doNotOutput) {
            call(record, .ok, .frameDropped)
        } else if record.isLeading {
            // A leading picture is never displayed, so its failure does not become the last error.
            call(record, Self.leading.status, [.frameDropped, .skippedLeadingFrameDropped])
        } else if let failure = record.failure {
            lose(record, failure)
        } else if record.isTainted {
            lose(record, Self.incomplete, .frameDropped)
        } else {
            lose(record, record.lack ?? Self.noPicture)
        }
    }

    /// Delivers a sample that was pending when the session ended.
    func deliverUndecoded(_ record: SampleRecord) {
        call(record, .invalidSession, .frameDropped)
    }

    /// Stores the message as the session's last error.
    func remember(_ error: NaluError) {
        try? monitor.locked { $0.lastError = error.message }
    }

    // MARK: - Reasons for a missing picture

    static var noPicture: NaluError {
        NaluError(.badData, "the decoder returned no picture for a sample")
    }

    static var gap: NaluError {
        NaluError(.badData, "a part of a picture is missing")
    }

    static var unreadable: NaluError {
        NaluError(.badData, "a sample has no readable slice")
    }

    static var incomplete: NaluError {
        NaluError(.referenceMissing, "a picture refers to one that was lost or incomplete")
    }

    static var noStart: NaluError {
        NaluError(
            .referenceMissing,
            "decoding cannot start at this sample; expected a key frame or a recovery point first")
    }

    static var leading: NaluError {
        NaluError(
            .referenceMissing,
            "a sample that is presented before the recovery point refers to pictures that were lost or never sent"
        )
    }
}
