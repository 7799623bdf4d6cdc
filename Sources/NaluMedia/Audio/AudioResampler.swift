internal import CFFmpeg
internal import NaluBase

/// Converts interleaved PCM to planar float, and adds or removes a few frames by resampling.
@safe
final class AudioResampler {
    private let context: OpaquePointer
    /// The number of interleaved frames that are converted at a time.
    static let mostFrames = 4096

    /// Throws if there is no memory.
    init(_ layout: AVChannelLayout, sampleRate: Int32, isFloat: Bool) throws(NaluError) {
        var layout = layout
        guard let made = unsafe nalu_ff_open_resampler(&layout, sampleRate, isFloat ? 1 : 0) else {
            throw NaluError(.allocationFailed, "no memory for a resampler")
        }
        unsafe context = made
    }

    deinit {
        var spent: OpaquePointer? = unsafe context
        unsafe swr_free(&spent)
    }

    /// The time from the next frame that is returned to the next frame that is passed, in seconds.
    var delay: Double { Double(unsafe swr_get_delay(context, 1_000_000_000)) / 1e9 }

    /// Adds `frames` frames within the next `distance` frames, or removes them if the number is negative.
    func compensate(_ frames: Int, over distance: Int) -> Int32 {
        unsafe swr_set_compensation(context, Int32(clamping: frames), Int32(clamping: distance))
    }

    /// Resamples interleaved frames into `frame`, from its sample `filled` on. Frames for which there is no room wait.
    /// Returns the number of samples written, or a negative error.
    func convert(
        _ bytes: UnsafeRawPointer, _ count: Int, into frame: FFmpegStruct<AVFrame>, filled: Int32, room: Int32
    ) -> Int32 {
        unsafe nalu_ff_resample(
            context, frame.pointer, filled, room, bytes.assumingMemoryBound(to: UInt8.self), Int32(clamping: count))
    }

    /// Writes the frames that the resampler still holds at the end of the stream. Returns the number of samples written,
    /// or a negative error.
    func flush(into frame: FFmpegStruct<AVFrame>, filled: Int32, room: Int32) -> Int32 {
        unsafe nalu_ff_resample(context, frame.pointer, filled, room, nil, 0)
    }
}
