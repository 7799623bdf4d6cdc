internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// FFmpeg's encoder of AAC-LC, and the frame that it encodes next.
@safe
final class AACEncoder {
    /// The number of samples in a packet (ISO/IEC 14496-3 4.5.2.1).
    static let frameSize: Int32 = 1024

    /// The frame that is being filled: planar float.
    let frame: FFmpegStruct<AVFrame>
    private let context: FFmpegStruct<AVCodecContext>
    private var packet: Packet
    /// The number of samples that were sent.
    private(set) var sentCount: Int64 = 0

    init(sampleRate: Int32, channelCount: Int32, bitRate: Int64) throws(NaluError) {
        try FFmpegLibraries.load()
        guard let codec = unsafe avcodec_find_encoder_by_name("aac") else {
            throw NaluError(
                .couldNotCreateInstance, "the installed FFmpeg has no encoder aac; expected an FFmpeg with it")
        }
        packet = try Packet()
        (context, frame) = try unsafe FFmpegStruct.withFrame(of: codec, orThrow: Self.outOfMemory)
        context.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.sample_rate = sampleRate
        context.bit_rate = bitRate
        context.time_base = AVRational(num: 1, den: sampleRate)
        // The configuration is in the format description, and the packets have no headers.
        context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        // The encoder logs its average quality at its end.
        context.log_level_offset = AV_LOG_INFO
        unsafe nalu_ff_set_audio_layout(&context.pointer.pointee.ch_layout, channelCount)
        try Self.check(unsafe avcodec_open2(context.pointer, codec, nil), .couldNotCreateInstance)
        frame.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.sample_rate = sampleRate
        frame.nb_samples = Self.frameSize
        unsafe nalu_ff_set_audio_layout(&frame.pointer.pointee.ch_layout, channelCount)
        guard context.frame_size == Self.frameSize, unsafe av_frame_get_buffer(frame.pointer, 0) >= 0 else {
            throw Self.outOfMemory
        }
    }

    deinit {
        unsafe frame.free(av_frame_free)
        unsafe context.free(avcodec_free_context)
    }

    private static var outOfMemory: NaluError { NaluError(.allocationFailed, "no memory for an audio encoder") }

    static func check(_ result: Int32, _ status: Status = .encoderMalfunction) throws(NaluError) {
        guard result < 0 else { return }
        if result == nalu_ff_out_of_memory() { throw outOfMemory }
        throw NaluError(status, "FFmpeg's encoder aac reports: \(SystemError.text(ffmpeg: result))")
    }

    var layout: AVChannelLayout { context.ch_layout }

    /// A copy of the AudioSpecificConfig.
    var configuration: [UInt8] {
        let size = Int(max(0, context.extradata_size))
        return unsafe [UInt8](UnsafeBufferPointer(start: context.pointer.pointee.extradata, count: size))
    }

    /// Makes ``frame`` writable, which the encoder may still refer to.
    func prepareFrame() throws(NaluError) {
        frame.nb_samples = Self.frameSize
        guard unsafe av_frame_make_writable(frame.pointer) >= 0 else { throw Self.outOfMemory }
    }

    /// Encodes the first `count` samples of ``frame``, and calls `body` with each packet. Only the last frame may have
    /// fewer than ``frameSize`` samples.
    func send(_ count: Int32, _ body: (Packet) throws(NaluError) -> Void) throws(NaluError) {
        frame.nb_samples = count
        frame.pts = sentCount
        sentCount += Int64(count)
        try Self.check(unsafe avcodec_send_frame(context.pointer, frame.pointer))
        try receive(body)
    }

    /// Encodes the samples that the encoder has delayed, and calls `body` with each packet.
    func finish(_ body: (Packet) throws(NaluError) -> Void) throws(NaluError) {
        try Self.check(unsafe avcodec_send_frame(context.pointer, nil))
        try receive(body)
    }

    private func receive(_ body: (Packet) throws(NaluError) -> Void) throws(NaluError) {
        while true {
            let result = unsafe avcodec_receive_packet(context.pointer, packet.fields.pointer)
            if result == nalu_ff_again() || result == nalu_ff_end_of_file() { return }
            try Self.check(result)
            try body(packet)
            packet.clear()
        }
    }
}
