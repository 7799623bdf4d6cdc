internal import CNalu

/// Calls the client's handler, once a sample.
final class FrameDelivery {
    private let monitor: Monitor<DecoderState>

    init(_ monitor: Monitor<DecoderState>) {
        self.monitor = monitor
    }

    func call(_ record: SampleRecord, _ status: Int, _ flags: DecodeInfoFlags, _ image: OpaquePointer?) {
        let handler = (try? monitor.locked { $0.handler }) ?? nil
        unsafe handler?(
            DecodedFrame(
                status: nalu_status(status), flags: flags.union(record.info), image: image, frameRefcon: record.refcon,
                presentationTime: record.presentationTime, duration: record.duration))
        try? monitor.locked { state in
            state.comeBack(record.number)
            monitor.wake(.progress)
        }
    }

    /// The sample gives no picture.
    func lose(_ record: SampleRecord, _ error: MediaError, _ flags: DecodeInfoFlags = []) {
        try? monitor.locked { $0.lastError = error.message }
        unsafe call(record, Int(error.status), flags, nil)
    }

    /// The decoder has had the sample, and gives no picture for it.
    func lose(_ record: SampleRecord) {
        if let failure = record.failure {
            lose(record, failure)
        } else if record.isTainted {
            lose(record, Self.incomplete, .frameDropped)
        } else {
            lose(record, Self.noPicture)
        }
    }

    // MARK: - Why

    static var noPicture: MediaError {
        MediaError(NALU_STATUS_BAD_DATA, "the decoder has given no picture for a sample")
    }

    static var gap: MediaError {
        MediaError(NALU_STATUS_BAD_DATA, "a part of a picture is missing")
    }

    static var unreadable: MediaError {
        MediaError(NALU_STATUS_BAD_DATA, "a sample has no slice that can be read")
    }

    static var incomplete: MediaError {
        MediaError(NALU_STATUS_REFERENCE_MISSING, "a picture refers to one that was lost or damaged")
    }

    static var noStart: MediaError {
        MediaError(
            NALU_STATUS_REFERENCE_MISSING,
            "decoding cannot begin with a sample; expected a key frame or a recovery point first")
    }

    static var leading: MediaError {
        MediaError(
            NALU_STATUS_REFERENCE_MISSING,
            "a sample is presented before its recovery point, and refers to what came before that and was lost or never given"
        )
    }
}
