internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A track whose packets go from a reader to a writer as they are.
@safe
final class PassedTrack {
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    /// The unit of its packets' times, in seconds.
    let timeBase: AVRational
    let language: String
    /// Packets that came before the video's first sample.
    let waiting = PacketQueue()
    /// The decode time of its last packet in the writer's units.
    private var lastDecode: Int64?
    /// The decode time of the last packet that had one, in units of its source, and how many packets began since, itself too.
    private var timed: (time: Int64, packets: Int64)?
    /// Packets whose times were moved.
    private(set) var movedCount: UInt64 = 0
    /// Takes the headers off the frames of AAC as MPEG-TS has it (ADTS), of which other containers have one for all.
    private var filter: UnsafeMutablePointer<AVBSFContext>?

    init(_ stream: UnsafeMutablePointer<AVStream>, language: String) throws(NaluError) {
        var copy = unsafe avcodec_parameters_alloc()
        guard let parameters = unsafe copy,
            unsafe avcodec_parameters_copy(parameters, stream.pointee.codecpar) >= 0
        else {
            unsafe avcodec_parameters_free(&copy)
            throw NaluError(.allocationFailed, "no memory for a track")
        }
        // Each container has tags of its own.
        unsafe parameters.pointee.codec_tag = 0
        if unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO { unsafe nalu_ff_complete_sound(parameters) }
        unsafe self.parameters = parameters
        unsafe timeBase = stream.pointee.time_base
        self.language = language
    }

    deinit {
        unsafe av_bsf_free(&filter)
        var parameters: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&parameters)
    }

    /// Before the first packet is written.
    func prepare(for container: Container) -> Bool {
        guard container != .mpegts, unsafe parameters.pointee.codec_id == AV_CODEC_ID_AAC,
            unsafe parameters.pointee.extradata_size == 0
        else { return true }
        guard unsafe av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &filter) >= 0, let filter = unsafe filter,
            unsafe avcodec_parameters_copy(filter.pointee.par_in, parameters) >= 0
        else { return false }
        unsafe filter.pointee.time_base_in = timeBase
        return unsafe av_bsf_init(filter) >= 0
    }

    /// Makes of a packet what is to be written; the result is one of FFmpeg's errors where nothing is.
    func convert(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
        guard let filter = unsafe filter else { return 0 }
        let result = unsafe av_bsf_send_packet(filter, packet)
        return unsafe result < 0 ? result : av_bsf_receive_packet(filter, packet)
    }

    /// Gives a packet its times in the writer's units: moved back by `origin`, and to after the packet before where they do
    /// not grow. False where it has none.
    func place(_ packet: UnsafeMutablePointer<AVPacket>, in unit: AVRational, origin: MediaTime) -> Bool {
        let none = nalu_ff_no_time()
        if unsafe packet.pointee.dts == none { unsafe packet.pointee.dts = unsafe packet.pointee.pts }
        if unsafe packet.pointee.pts == none { unsafe packet.pointee.pts = unsafe packet.pointee.dts }
        // A transport stream has one time for several frames of sound, and libavformat fills in the others only after it
        // knows the sample rate.
        if unsafe packet.pointee.dts == none, packetDuration > 0, let (time, packets) = timed {
            timed = (time, packets &+ 1)
            unsafe packet.pointee.dts = time &+ duration(ofPackets: packets)
            unsafe packet.pointee.pts = packet.pointee.dts
        } else {
            guard unsafe packet.pointee.dts != none else { return false }
            timed = unsafe (packet.pointee.dts, 1)
        }
        if unsafe packet.pointee.duration <= 0 { unsafe packet.pointee.duration = packetDuration }
        if origin.value != 0,
            let moved = TrackClock.rounded(origin, numerator: timeBase.num, denominator: timeBase.den)
        {
            unsafe packet.pointee.pts &-= moved
            unsafe packet.pointee.dts &-= moved
        }
        unsafe av_packet_rescale_ts(packet, timeBase, unit)
        unsafe packet.pointee.pos = -1
        let (presentation, decode) = unsafe (packet.pointee.pts, packet.pointee.dts)
        // Two lines of text may begin at once.
        let step: Int64 = unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE ? 0 : 1
        let least = lastDecode.map { $0 &+ step } ?? decode
        unsafe packet.pointee.dts = max(min(decode, presentation), least)
        unsafe packet.pointee.pts = max(presentation, packet.pointee.dts)
        if unsafe packet.pointee.duration <= 0, let lastDecode {
            unsafe packet.pointee.duration = unsafe packet.pointee.dts &- lastDecode
        }
        lastDecode = unsafe packet.pointee.dts
        if unsafe packet.pointee.dts != decode || packet.pointee.pts != presentation { movedCount += 1 }
        return true
    }

    /// Describes the stream to a muxer.
    func describe(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        guard unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters) >= 0 else { return false }
        unsafe stream.pointee.time_base = timeBase
        if language != "und" { unsafe av_dict_set(&stream.pointee.metadata, "language", language, 0) }
        return true
    }

    /// How long a packet is that does not say so itself, in the unit of its times; 0 where nobody knows.
    var packetDuration: Int64 { duration(ofPackets: 1) }

    /// Rounded once, so that what is left over from each does not add up.
    private func duration(ofPackets count: Int64) -> Int64 {
        let rate = unsafe Int64(parameters.pointee.sample_rate)
        let size = unsafe Int64(parameters.pointee.frame_size)
        guard rate > 0, size > 0, timeBase.num > 0 else { return 0 }
        return av_rescale(size &* count, Int64(timeBase.den), rate * Int64(timeBase.num))
    }

    /// FFmpeg's name of the codec.
    var codecName: String { unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id)) }
}
