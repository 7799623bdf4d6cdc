internal import Nalu
internal import NaluBase

/// Calls the client's handler, once a sample.
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
            state.comeBack(record.number)
            monitor.wake(.progress)
        }
    }

    /// The sample gives no picture.
    func lose(_ record: SampleRecord, _ error: NaluError, _ flags: DecompressionSession.InfoFlags = []) {
        remember(error)
        call(record, error.status, flags)
    }

    /// The decoder has had the sample, and gives no picture for it.
    func lose(_ record: SampleRecord) {
        if record.isLeading {
            // What is not shown is no reason for anything.
            call(record, Self.leading.status, [.frameDropped, .skippedLeadingFrameDropped])
        } else if let failure = record.failure {
            lose(record, failure)
        } else if record.isTainted {
            lose(record, Self.incomplete, .frameDropped)
        } else {
            lose(record, record.lack ?? Self.noPicture)
        }
    }

    /// The session has ended before the sample's turn.
    func giveBack(_ record: SampleRecord) {
        call(record, .invalidSession, .frameDropped)
    }

    /// For the session's last error.
    func remember(_ error: NaluError) {
        try? monitor.locked { $0.lastError = error.message }
    }

    // MARK: - Why

    static var noPicture: NaluError {
        NaluError(.badData, "the decoder returned no picture for a sample")
    }

    static var gap: NaluError {
        NaluError(.badData, "a part of a picture is missing")
    }

    static var unreadable: NaluError {
        NaluError(.badData, "a sample has no slice that can be read")
    }

    static var incomplete: NaluError {
        NaluError(.referenceMissing, "a picture refers to one that was lost or damaged")
    }

    static var noStart: NaluError {
        NaluError(
            .referenceMissing,
            "decoding cannot start at this sample; expected a key frame or a recovery point first")
    }

    static var leading: NaluError {
        NaluError(
            .referenceMissing,
            "a sample that is presented before the recovery point refers to pictures that were lost or never given"
        )
    }
}
