internal import Nalu
internal import NaluBase

/// The threads that call the client's handlers: one for pictures, one for audio.
struct CaptureDelivery {
    private let run: CaptureRun
    private var monitor: Monitor<CaptureState> { run.monitor }

    init(_ run: CaptureRun) {
        self.run = run
    }

    // MARK: Pictures

    /// Runs the thread of the video handler.
    func deliverVideo() {
        while let (frame, dropped, call) = nextFrame() {
            run.handlers.video?(
                CaptureSession.Frame(
                    buffer: frame.buffer, time: HostTime.time(frame.time), duration: frame.duration,
                    droppedFrames: Int(dropped)))
            let now = MonotonicClock.nanoseconds
            try? monitor.locked { $0.meter.returned(calledAt: call, at: now) }
        }
        // A picture that waits when the run is stopped is released outside the lock.
        let left = try? monitor.locked { state in
            defer { state.frame = nil }
            return state.frame
        }
        withExtendedLifetime(left) {}
    }

    /// Waits for a picture; nil at the end.
    private func nextFrame() -> (WaitingFrame, dropped: UInt32, call: Int64)? {
        // `wait` throws only in a child of a fork, which does not have this thread.
        let next = try? monitor.wait(for: .work) { state throws(NaluError) -> (WaitingFrame, UInt32, Int64)?? in
            if state.isInvalid { return .some(nil) }
            guard let frame = state.frame else { return state.isEnding ? .some(nil) : nil }
            state.frame = nil
            let now = MonotonicClock.nanoseconds
            return (frame, state.meter.called(arrivedAt: frame.arrival, at: now), now)
        }
        return next ?? nil
    }

    // MARK: Audio

    /// Runs the thread of the audio handler.
    func deliverAudio() {
        var samples: [Float] = []
        while let format = waitForAudio() {
            let needed = format.blockLimit * format.channelCount
            if samples.count != needed { samples = Array(repeating: 0, count: needed) }
            unsafe samples.withUnsafeMutableBufferPointer { unsafe deliver($0, format) }
        }
    }

    /// Waits for an audio block, and returns its format; nil at the end. The condition `.room` means audio here: a capture
    /// session has no queue whose room a thread waits for.
    private func waitForAudio() -> CaptureAudioFormat? {
        let next = try? monitor.wait(for: .room) { state throws(NaluError) -> CaptureAudioFormat?? in
            if state.isInvalid { return .some(nil) }
            guard let audio = state.audio, !audio.isEmpty else { return state.isEnding ? .some(nil) : nil }
            return audio.format
        }
        return next ?? nil
    }

    private func deliver(_ samples: UnsafeMutableBufferPointer<Float>, _ format: CaptureAudioFormat) {
        let block = try? monitor.locked { state -> AudioQueue.Block? in
            if state.isInvalid { return nil }
            guard let block = unsafe state.audio?.popFirst(into: samples) else { return nil }
            state.meter.deliveredAudio(block.frameCount)
            return block
        }
        guard let block = block ?? nil else { return }
        let used = unsafe UnsafeBufferPointer(rebasing: samples[..<(block.frameCount * format.channelCount)])
        unsafe run.handlers.audio?(
            CaptureSession.AudioBlock(
                samples: used, frameCount: block.frameCount, sampleRate: format.sampleRate,
                channelCount: format.channelCount, time: HostTime.time(block.time),
                isDiscontinuous: block.isDiscontinuous))
    }
}
