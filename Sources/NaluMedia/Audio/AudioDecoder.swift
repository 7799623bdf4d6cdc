internal import CFFmpeg
package import Nalu
internal import NaluBase

/// A block of decoded audio: interleaved stereo.
package struct DecodedAudioBlock: Sendable {
    /// The presentation time of the first frame.
    package let time: MediaTime
    /// Two values for each frame, -1 to 1.
    package let frames: [Float]

    package init(time: MediaTime, frames: [Float]) {
        self.time = time
        self.frames = frames
    }
}

/// One of libavcodec's audio decoders, whose output is stereo at one sample rate.
///
/// Only the thread that reads the packets uses it.
@safe
final class AudioDecoder {
    private let context: FFmpegStruct<AVCodecContext>
    private let frame: FFmpegStruct<AVFrame>
    private let timeBase: TimeBase
    private let sampleRate: Int32
    private let body: (DecodedAudioBlock) -> Void
    private var resampler: OpaquePointer?
    /// The format, rate and channels that the resampler accepts.
    private var accepted: (format: Int32, rate: Int32, channels: Int32) = (-1, 0, 0)
    /// The time after the last block, for frames without a time.
    private var next: MediaTime?

    init(
        _ stream: ContainerStream, sampleRate: Int, _ body: @escaping (DecodedAudioBlock) -> Void
    ) throws(NaluError) {
        let name = FFmpegText.name(stream.parameters.codec_id)
        guard let codec = unsafe avcodec_find_decoder(stream.parameters.codec_id) else {
            throw NaluError(
                .unsupportedDataFormat, "the installed FFmpeg has no decoder for \(name) audio; use another build of it"
            )
        }
        (context, frame) = try unsafe FFmpegStruct.withFrame(of: codec, orThrow: Self.outOfMemory)
        self.sampleRate = Int32(clamping: sampleRate)
        self.body = body
        timeBase = TimeBase(stream.time_base)
        context.pkt_timebase = stream.time_base
        context.log_level_offset = AV_LOG_INFO
        guard unsafe avcodec_parameters_to_context(context.pointer, stream.parameters.pointer) >= 0 else {
            throw Self.outOfMemory
        }
        let result = unsafe avcodec_open2(context.pointer, codec, nil)
        guard result >= 0 else {
            throw NaluError(.badData, "FFmpeg's decoder of \(name) audio reports: \(SystemError.text(ffmpeg: result))")
        }
    }

    deinit {
        unsafe swr_free(&resampler)
        unsafe frame.free(av_frame_free)
        unsafe context.free(avcodec_free_context)
    }

    private static var outOfMemory: NaluError { NaluError(.allocationFailed, "no memory for an audio decoder") }

    /// Decodes a packet, and passes on the audio that is complete. A corrupt packet has no effect.
    func decode(_ packet: Packet) {
        guard unsafe avcodec_send_packet(context.pointer, packet.fields.pointer) >= 0 else { return }
        while unsafe avcodec_receive_frame(context.pointer, frame.pointer) >= 0 { deliver() }
    }

    /// Discards the state of the decoder and the resampler, after a seek.
    func flush() {
        unsafe avcodec_flush_buffers(context.pointer)
        unsafe swr_free(&resampler)
        next = nil
    }

    private func deliver() {
        guard prepareResampler(), frame.nb_samples > 0 else { return }
        let time = frame.best_effort_timestamp
        let start = time != Packet.noTime ? timeBase.time(time) : next
        guard let start, start.isNumeric else { return }
        // The frames that the resampler has kept come first.
        let waiting = unsafe swr_get_delay(resampler, Int64(sampleRate))
        let room = Int(waiting) + Int(av_rescale(Int64(frame.nb_samples), Int64(sampleRate), Int64(accepted.rate))) + 32
        var count: Int32 = 0
        var frames: [Float] = unsafe Array(unsafeUninitializedCapacity: 2 * room) { buffer, used in
            count = unsafe nalu_ff_resample_frame(resampler, frame.pointer, buffer.baseAddress, Int32(clamping: room))
            used = 2 * Int(max(0, count))
        }
        guard count > 0 else { return }
        // Corrupt data can decode to infinities, which must not reach the loudspeaker.
        for index in frames.indices where !(frames[index].magnitude <= 1) {
            frames[index] = frames[index].isNaN ? 0 : min(max(frames[index], -1), 1)
        }
        let first = start - MediaTime(value: waiting, timescale: sampleRate)
        next = start + MediaTime(value: Int64(frame.nb_samples), timescale: accepted.rate)
        body(DecodedAudioBlock(time: first, frames: frames))
    }

    /// Makes the resampler for the format of the present frame. Returns false if that is not possible.
    private func prepareResampler() -> Bool {
        let format = unsafe (frame.format, frame.sample_rate, nalu_ff_get_channel_count(frame.pointer))
        guard format.1 > 0, format.2 > 0 else { return false }
        if unsafe resampler != nil, format == accepted { return true }
        unsafe swr_free(&resampler)
        unsafe resampler = nalu_ff_open_stereo_resampler(frame.pointer, sampleRate)
        accepted = format
        return unsafe resampler != nil
    }
}
