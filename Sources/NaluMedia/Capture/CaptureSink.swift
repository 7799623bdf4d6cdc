package import Nalu
internal import NaluBase

/// Receives the pictures and audio of one source, on the source's thread. Converts and scales pictures if the client wants
/// another format or size than the device's, and hands them to the handler's thread.
///
/// `@unchecked Sendable`: the session creates the object, and only the source's thread uses it afterwards.
package final class CaptureSink: @unchecked Sendable {
    /// The settings that the session requests from the source.
    package let request: CaptureRequest
    private let owner: CaptureRun
    private let source: any CaptureSource
    private let bufferLimit: Int
    private let stopSignal: StopSignal
    private var monitor: Monitor<CaptureState> { owner.monitor }

    private var sourceFormat: CaptureVideoFormat?
    private var outputFormat: CaptureVideoFormat?
    /// Buffers in the device's format; the client receives them if no conversion is needed.
    private var sourcePool: PixelBufferPool?
    /// Buffers in the client's format if pictures are converted.
    private var outputPool: PixelBufferPool?
    private let transfer = PixelTransfer()
    /// The frame duration in the timescale of the capture times, so that a writer finds a common timescale.
    private var frameDuration = MediaTime.invalid
    private var audioFormat: CaptureAudioFormat?
    private var hasBegun = false
    private var clock = PictureClock()

    init(_ owner: CaptureRun, _ setup: CaptureSetup, _ stopSignal: StopSignal) {
        self.owner = owner
        request = setup.request
        source = setup.source
        bufferLimit = setup.bufferLimit
        self.stopSignal = stopSignal
    }

    /// Runs the source's thread.
    func runSource() {
        do throws(NaluError) {
            try source.run(self)
            owner.sourceEnded(nil)
        } catch {
            owner.sourceEnded(error)
        }
    }

    // MARK: Stopping

    /// A descriptor that becomes readable when the source must end. The source must not read it.
    package var stopDescriptor: Int32 { stopSignal.descriptor }

    /// Whether the source must end.
    package var isStopped: Bool { stopSignal.wait(until: 0) == .raised }

    /// Sleeps until a host time in nanoseconds. Returns false if the source must end.
    package func sleep(until nanoseconds: Int64) -> Bool {
        stopSignal.wait(until: nanoseconds) == .time
    }

    /// Sleeps until `descriptor` is readable or until a host time in nanoseconds. Returns nil if the source must end;
    /// otherwise whether the descriptor is readable.
    package func wait(for descriptor: Int32, until nanoseconds: Int64) -> Bool? {
        switch stopSignal.wait(until: nanoseconds, other: descriptor) {
        case .raised: nil
        case .other: true
        case .time: false
        }
    }

    // MARK: Beginning

    /// Notes that a device is open, and that its first picture precedes ``begin(video:audio:)``. The error message of a start
    /// that takes too long is then about that picture.
    ///
    /// - Parameter device: the device in the message, for example "the camera /dev/video0".
    package func awaitFirstPicture(of device: String) {
        try? monitor.locked { $0.silentDevice = device }
    }

    /// States the formats that the source delivers. Must precede the first picture and audio block. May be called again
    /// when the device changes the format of its pictures, or their size if the client has chosen one.
    ///
    /// - Parameters:
    ///   - video: one size, format and rate; nil if the source delivers no pictures. `pixelFormat` and size are those
    ///     of the buffers of ``makeBuffer()``.
    ///   - audio: nil if the source delivers no audio.
    ///
    /// Throws `.pixelTransferNotSupported` if pictures cannot be converted to the client's format, and `.inputOutput` if
    /// their size changes, and the client has not chosen one.
    package func begin(video: CaptureVideoFormat?, audio: CaptureAudioFormat?) throws(NaluError) {
        if let video, request.wantsVideo { try prepare(video) }
        audioFormat = request.wantsAudio ? audio : nil
        let queue = audioFormat.map { AudioQueue($0) }
        let isFirst = !hasBegun
        hasBegun = true
        try monitor.locked { state in
            if let outputFormat { state.videoFormat = outputFormat }
            if let queue {
                state.audioFormat = queue.format
                state.audio = queue
            }
            guard isFirst else { return }
            state.expectedBegins -= 1
            if video != nil { state.silentDevice = nil }
            guard state.expectedBegins == 0, !state.isInvalid, !state.isEnding else { return }
            state.hasBegun = true
            state.startSignal.raise()
        }
    }

    /// States the token with which the desktop permits the next start without a question.
    package func noteRestoreToken(_ token: String) {
        try? monitor.locked { $0.restoreToken = token }
    }

    private func prepare(_ video: CaptureVideoFormat) throws(NaluError) {
        guard video != sourceFormat else { return }
        try checkSize(of: video)
        let (width, height) = (video.widths.lowerBound, video.heights.lowerBound)
        var output = video
        if let size = request.size {
            output.widths = size.width...size.width
            output.heights = size.height...size.height
        }
        let isScaled = output.widths != video.widths || output.heights != video.heights
        output.pixelFormat = request.pixelFormat ?? (isScaled ? .nv12 : video.pixelFormat)
        let isConverted = isScaled || output.pixelFormat != video.pixelFormat
        if isConverted { try Self.checkConversion(to: output.pixelFormat, from: video, isScaled: isScaled) }
        // Converted pictures are in `outputPool`, so the source needs a buffer to fill and one to convert.
        sourcePool = try PixelBufferPool(
            format: video.pixelFormat, width: width, height: height, maximumBufferCount: isConverted ? 2 : bufferLimit)
        outputPool =
            isConverted
            ? try PixelBufferPool(
                format: output.pixelFormat, width: output.widths.lowerBound, height: output.heights.lowerBound,
                maximumBufferCount: bufferLimit)
            : nil
        sourceFormat = video
        outputFormat = output
        let duration = video.minimumFrameDuration.converted(toTimescale: HostTime.timescale)
        frameDuration = duration.isNumeric ? HostTime.time(duration.value) : .invalid
    }

    /// Throws `.inputOutput` if the device has changed the size of its pictures, and the client has not chosen one to which
    /// all are scaled: an encoder would squeeze them into the first size.
    private func checkSize(of video: CaptureVideoFormat) throws(NaluError) {
        guard request.size == nil, let sourceFormat,
            video.widths != sourceFormat.widths || video.heights != sourceFormat.heights
        else { return }
        func text(_ format: CaptureVideoFormat) -> String {
            "\(format.widths.lowerBound)x\(format.heights.lowerBound)"
        }
        throw NaluError(
            .inputOutput,
            "the pictures have changed from \(text(sourceFormat)) to \(text(video)); start the capture again, or choose a size, to which all pictures are scaled"
        )
    }

    /// Throws `.pixelTransferNotSupported` if a picture of `video` cannot become `format`.
    static func checkConversion(
        to format: PixelFormat, from video: CaptureVideoFormat, isScaled: Bool
    ) throws(NaluError) {
        guard !format.is420 else { return }
        throw NaluError(
            .pixelTransferNotSupported,
            "the pictures have the format \(video.pixelFormat) and cannot be \(isScaled ? "scaled" : "converted") to \(format); "
                + "expected '420v', '420f', 'y420', 'f420', 'x420' or 'xf20'\(isScaled ? ", or the device's size" : ", or the device's format")"
        )
    }

    // MARK: Pictures

    /// Returns a buffer of the format and size that ``begin(video:audio:)`` stated, with undefined pixels; nil if all
    /// buffers are in use, which counts as a dropped picture.
    package func makeBuffer() throws(NaluError) -> PixelBuffer? {
        guard let sourcePool else { throw notBegun }
        return try buffer(of: sourcePool)
    }

    /// Delivers a picture. A buffer that is not in the client's format is converted.
    ///
    /// - Parameters:
    ///   - buffer: a buffer of ``makeBuffer()``, or one that wraps the device's memory.
    ///   - time: the host time of capture, in nanoseconds.
    package func deliver(_ buffer: PixelBuffer, at time: Int64) throws(NaluError) {
        try deliver(buffer.view, buffer, at: time)
    }

    /// Delivers a copy of a picture in the device's memory.
    ///
    /// - Parameter time: the host time of capture, in nanoseconds.
    package func deliver(copying view: PixelView, at time: Int64) throws(NaluError) {
        try deliver(view, nil, at: time)
    }

    /// Returns the host time of capture of the next picture of a camera, in nanoseconds. It is later than that of the picture
    /// before, also if the device's own times are not; ``PictureClock`` has the rule.
    ///
    /// - Parameter stated: the device's time in nanoseconds; nil if it states none.
    package func time(stated: Int64?) -> Int64 {
        let reading = clock.time(stated: stated, arrival: MonotonicClock.nanoseconds)
        if reading.isRepaired { try? monitor.locked { $0.meter.repairedTime() } }
        return reading.time
    }

    /// Counts pictures that the device should have delivered, and did not.
    package func noteMissed(_ count: UInt64) {
        if count > 0 { try? monitor.locked { $0.meter.missed(count) } }
    }

    private func deliver(_ view: PixelView, _ buffer: PixelBuffer?, at time: Int64) throws(NaluError) {
        guard let pool = outputPool ?? sourcePool else { throw notBegun }
        let fits =
            view.format == pool.format && view.width == pool.width && view.height == pool.height
        guard fits, let buffer else {
            guard let copy = try self.buffer(of: pool) else { return }
            if fits {
                view.copyPixels(to: copy.view)
            } else {
                try transfer.transfer(from: view, to: copy.view, matrix: .automatic(height: copy.height))
            }
            return enqueue(copy, at: time)
        }
        enqueue(buffer, at: time)
    }

    /// Passes a picture to the handler's thread, in place of one that still waits.
    private func enqueue(_ buffer: PixelBuffer, at time: Int64) {
        let now = MonotonicClock.nanoseconds
        let frame = WaitingFrame(buffer: buffer, time: time, arrival: now, duration: frameDuration)
        // The replaced picture is released outside the lock.
        let replaced = try? monitor.locked { state -> WaitingFrame? in
            let replaced = state.frame
            if replaced != nil { state.meter.droppedLate() }
            state.meter.arrived(capturedAt: time, at: now)
            state.frame = frame
            monitor.wake(.work)
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    private func buffer(of pool: PixelBufferPool) throws(NaluError) -> PixelBuffer? {
        do throws(NaluError) {
            return try pool.makeBuffer()
        } catch {
            guard error.status == .wouldBlock else { throw error }
            try? monitor.locked { $0.meter.droppedStarved() }
            return nil
        }
    }

    private var notBegun: NaluError {
        NaluError(.outOfOrder, "the source has delivered a picture before it stated its format")
    }

    // MARK: Audio

    /// Delivers interleaved audio.
    ///
    /// - Parameters:
    ///   - samples: whole audio frames of the format that ``begin(video:audio:)`` stated.
    ///   - time: the host time at which the first audio frame was captured, in nanoseconds.
    package func deliver(audio samples: UnsafeBufferPointer<Float>, at time: Int64) {
        guard let audioFormat else { return }
        let limit = audioFormat.blockLimit
        var rest = unsafe samples[...]
        var start = time
        while unsafe rest.count >= audioFormat.channelCount {
            let frames = unsafe min(limit, rest.count / audioFormat.channelCount)
            let block = unsafe UnsafeBufferPointer(rebasing: rest.prefix(frames * audioFormat.channelCount))
            try? monitor.locked { state in
                let lost = unsafe state.audio?.append(block, frameCount: frames, time: start) ?? 0
                state.meter.lostAudio(lost)
                monitor.wake(.room)
            }
            unsafe rest = rest.dropFirst(frames * audioFormat.channelCount)
            start += Int64(frames) * 1_000_000_000 / Int64(audioFormat.sampleRate)
        }
    }

    /// Counts audio that the device lost. The next block is marked discontinuous.
    package func noteLostAudio(_ frames: Int) {
        try? monitor.locked { state in
            state.meter.lostAudio(frames)
            state.audio?.markDiscontinuity()
        }
    }
}
