internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A track whose packets are copied from a reader to a writer.
@safe
final class PassedTrack {
    let parameters: CodecParameters
    /// The unit of the packets' times, in seconds.
    let timeBase: AVRational
    /// The time of the first packet, if the file has an index of this track.
    let start: MediaTime?
    let language: String
    /// Packets that were read before the video's first sample.
    let waiting = PacketQueue()
    /// The decode time of the last packet in the writer's units.
    private var lastDecode: Int64?
    /// The decode time of the last packet that had one, in the source's units, and the number of packets since then,
    /// including itself.
    private var timed: (time: Int64, packets: Int64)?
    /// The number of packets whose times were changed.
    private(set) var movedCount: Int = 0
    /// The filter that removes the headers from AAC frames of MPEG-TS (ADTS). Other containers store one configuration
    /// for all frames.
    private var filter: FFmpegStruct<AVBSFContext>?

    init(_ stream: ContainerStream, language: String) throws(NaluError) {
        guard let made = unsafe CodecParameters(avcodec_parameters_alloc()) else { throw Self.outOfMemory }
        parameters = made
        timeBase = stream.time_base
        start = stream.indexEntry(0).map { TimeBase(stream.time_base).time($0.timestamp) }
        self.language = language
        guard parameters.copy(from: stream.parameters) else { throw Self.outOfMemory }
        // Each container has its own codec tags.
        parameters.codec_tag = 0
        if parameters.codec_type == AVMEDIA_TYPE_AUDIO { unsafe nalu_ff_complete_audio(parameters.pointer) }
    }

    private static var outOfMemory: NaluError { NaluError(.allocationFailed, "no memory for a track") }

    deinit {
        unsafe filter?.free(av_bsf_free)
        unsafe parameters.free(avcodec_parameters_free)
    }

    /// Opens the filter if the container needs it. Must be called before the first packet is written. Returns false for
    /// a failure.
    func prepare(for container: OutputFormat) -> Bool {
        guard container != .mpegts, parameters.codec_id == AV_CODEC_ID_AAC,
            parameters.extradata_size <= 0
        else { return true }
        var made: UnsafeMutablePointer<AVBSFContext>?
        _ = unsafe av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &made)
        filter = unsafe FFmpegStruct(made)
        guard let filter, let input = unsafe CodecParameters(filter.par_in), input.copy(from: parameters) else {
            return false
        }
        filter.time_base_in = timeBase
        return unsafe av_bsf_init(filter.pointer) >= 0
    }

    /// Converts a packet to the container's form. Returns a negative FFmpeg error if the packet cannot be written.
    func convert(_ packet: Packet) -> Int32 {
        guard let filter else { return 0 }
        let result = unsafe av_bsf_send_packet(filter.pointer, packet.fields.pointer)
        return result < 0 ? result : unsafe av_bsf_receive_packet(filter.pointer, packet.fields.pointer)
    }

    /// Converts a packet's times to the writer's units and subtracts `origin`. Decode times that do not grow are moved
    /// after the previous one. Returns false if the packet has no time.
    func setTimes(of packet: Packet, in unit: AVRational, origin: MediaTime) -> Bool {
        let none = Packet.noTime
        if packet.decode == none { packet.decode = packet.presentation }
        if packet.presentation == none { packet.presentation = packet.decode }
        // A transport stream has one time for several audio frames. libavformat computes the others only after it knows
        // the sample rate.
        if packet.decode == none, packetDuration > 0, let (time, packets) = timed {
            timed = (time, packets &+ 1)
            packet.decode = time &+ duration(ofPackets: packets)
            packet.presentation = packet.decode
        } else {
            guard packet.decode != none else { return false }
            timed = (packet.decode, 1)
        }
        if packet.duration <= 0 { packet.duration = packetDuration }
        if origin.value != 0,
            let moved = TrackClock.rounded(origin, numerator: timeBase.num, denominator: timeBase.den)
        {
            packet.presentation &-= moved
            packet.decode &-= moved
        }
        packet.rescale(from: timeBase, to: unit)
        packet.position = -1
        let (presentation, decode) = (packet.presentation, packet.decode)
        // Two subtitles may begin at the same time.
        let step: Int64 = parameters.codec_type == AVMEDIA_TYPE_SUBTITLE ? 0 : 1
        let least = lastDecode.map { $0 &+ step } ?? decode
        packet.decode = max(min(decode, presentation), least)
        packet.presentation = max(presentation, packet.decode)
        if packet.duration <= 0, let lastDecode {
            packet.duration = packet.decode &- lastDecode
        }
        lastDecode = packet.decode
        if packet.decode != decode || packet.presentation != presentation { movedCount += 1 }
        return true
    }

    /// Describes the stream to a muxer. Returns false if there is no memory.
    func describe(_ stream: ContainerStream) -> Bool {
        guard stream.parameters.copy(from: parameters) else { return false }
        stream.time_base = timeBase
        if language != "und" { stream.setTag("language", language) }
        return true
    }

    /// The duration of a packet that states none, in the unit of its times; 0 if it is unknown.
    var packetDuration: Int64 { duration(ofPackets: 1) }

    /// Returns the duration of several packets. It is rounded once, so that rounding errors do not add up.
    private func duration(ofPackets count: Int64) -> Int64 {
        let rate = Int64(parameters.sample_rate)
        let size = Int64(parameters.frame_size)
        guard rate > 0, size > 0, timeBase.num > 0 else { return 0 }
        return av_rescale(size &* count, Int64(timeBase.den), rate * Int64(timeBase.num))
    }

    /// FFmpeg's name of the codec.
    var codecName: String { FFmpegText.name(parameters.codec_id) }
}
