internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A track beside the video track: its packets are copied from a reader, or are the samples of an audio encoder.
@safe
final class PassedTrack {
    let parameters: CodecParameters
    /// The unit of the packets' times, in seconds.
    let timeBase: AVRational
    /// The time of the first packet, if the file has an index of this track, or if the first sample was written.
    private(set) var start: MediaTime?
    let language: String
    /// AV_DISPOSITION_… flags: what players choose the track for.
    private let disposition: Int32
    /// The name of the track for people; nil if it has none.
    private let title: String?
    /// The name in an mp4 or mov (`hdlr`); nil if it has none.
    private let handlerName: String?
    /// The format of the samples of an encoded track; nil for a track from a reader.
    let format: FormatDescription?
    /// Packets that were read before the video's first sample.
    let waiting = PacketQueue()
    /// The decode time of the last packet in the writer's units.
    private var lastDecode: Int64?
    /// The decode time of the last packet that had one, in the source's units, and the packets since then, including
    /// itself.
    private var timed: (time: Int64, since: AudioExtent)?
    /// The usual duration of a packet of unknown duration, in the source's units.
    private var usual: Int64 = 1
    /// The time of the last sample of an encoded track, in the track's units.
    private var lastSample: Int64?
    /// The number of packets whose times were changed.
    private(set) var movedCount: Int = 0
    /// The samples, at 48 kHz, that are added to the times in Matroska; 0 for none. See ``codecDelay(in:)``.
    private var addedSamples: Int64 = 0
    /// The filter that removes the headers from AAC frames of MPEG-TS (ADTS). Other containers store one configuration
    /// for all frames.
    private var filter: FFmpegStruct<AVBSFContext>?

    init(_ stream: ContainerStream, language: String) throws(NaluError) {
        guard let made = unsafe CodecParameters(avcodec_parameters_alloc()) else { throw Self.outOfMemory }
        parameters = made
        timeBase = stream.time_base
        start = stream.indexEntry(0).map { TimeBase(stream.time_base).time($0.timestamp) }
        self.language = language
        disposition = stream.disposition & Self.keptDispositions
        title = stream.tag("title")
        handlerName = stream.tag("handler_name")
        format = nil
        guard parameters.copy(from: stream.parameters) else { throw Self.outOfMemory }
        // Each container has its own codec tags.
        parameters.codec_tag = 0
        if parameters.codec_type == AVMEDIA_TYPE_AUDIO { unsafe nalu_ff_complete_audio(parameters.pointer) }
    }

    /// Creates a track for samples of an audio encoder.
    init(_ format: FormatDescription, _ audio: AudioFormat, language: String) throws(NaluError) {
        guard let made = unsafe CodecParameters(avcodec_parameters_alloc()) else { throw Self.outOfMemory }
        parameters = made
        timeBase = AVRational(num: 1, den: Int32(clamping: audio.sampleRate))
        start = nil
        self.language = language
        disposition = AV_DISPOSITION_DEFAULT
        title = nil
        handlerName = nil
        self.format = format
        parameters.describe(audio)
        guard parameters.set(configuration: format.audioSpecificConfigBytes ?? []) else { throw Self.outOfMemory }
    }

    var isAudio: Bool { parameters.codec_type == AVMEDIA_TYPE_AUDIO }

    private static var outOfMemory: NaluError { NaluError(.allocationFailed, "no memory for a track") }

    deinit {
        unsafe filter?.free(av_bsf_free)
        unsafe parameters.free(avcodec_parameters_free)
    }

    /// Opens the filter if the container needs it. Must be called before the first packet is written. Returns false for
    /// a failure.
    func prepare(for container: OutputFormat) -> Bool {
        addedSamples = codecDelay(in: container)
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

    /// Converts a sample to a packet of the track.
    ///
    /// Throws `.unsupportedDataFormat` if the sample has another format; `.invalidTime` if its time does not grow.
    func fill(_ packet: Packet, with sample: Sample) throws(NaluError) {
        guard sample.formatDescription == format else {
            throw NaluError(
                .unsupportedDataFormat,
                "the sample is \(sample.formatDescription); expected \(format.map(\.description) ?? "none"), the format of the track"
            )
        }
        let time = sample.presentationTime
        guard let units = TrackClock.rounded(time, numerator: 1, denominator: timeBase.den), units.magnitude < 1 << 60
        else {
            throw NaluError(
                .invalidTime, "the sample's time is \(TrackClock.text(time)); expected one of at most 2^60 audio frames"
            )
        }
        if let lastSample, units <= lastSample {
            throw NaluError(
                .invalidTime,
                "the sample's time is \(TrackClock.text(time)), at or before that of the previous sample of the track; expected a later one"
            )
        }
        try copy(sample, to: packet)
        packet.presentation = units
        packet.decode = units
        packet.duration = TrackClock.rounded(sample.duration, numerator: 1, denominator: timeBase.den) ?? 0
        packet.isKey = true
        if start == nil { start = time }
        lastSample = units
    }

    private func copy(_ sample: Sample, to packet: Packet) throws(NaluError) {
        var failure: NaluError?
        sample.withBytes { bytes in
            do throws(NaluError) { try packet.copy(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
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
        let own = extent(of: packet)
        // A transport stream has one time for several audio frames, and Matroska for those that are laced in a block.
        // libavformat computes the others only after it knows the sample rate, and not for Opus in Matroska.
        if packet.decode == none, isAudio, let (time, since) = timed {
            timed = (time, since + own)
            packet.decode = time &+ duration(of: since)
            packet.presentation = packet.decode
        } else {
            guard packet.decode != none else { return false }
            if let (time, since) = timed, since.unknownPackets == since.packets, packet.decode > time {
                usual = max(1, (packet.decode &- time) / since.packets)
            }
            timed = (packet.decode, own)
        }
        if packet.duration <= 0, own.unknownPackets == 0 { packet.duration = duration(of: own) }
        if origin.value != 0,
            let moved = TrackClock.rounded(origin, numerator: timeBase.num, denominator: timeBase.den)
        {
            packet.presentation &-= moved
            packet.decode &-= moved
        }
        packet.rescale(from: timeBase, to: unit)
        packet.position = -1
        if addedSamples > 0 {
            let added = Self.units(addedSamples, unit)
            packet.presentation &+= added
            packet.decode &+= added
        }
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

    /// Returns the samples that Opus has before the beginning, at 48 kHz, if they must be added to the times. Matroska
    /// subtracts them from the times of blocks (RFC 9559 5.1.4.1.27, CodecDelay). libavformat 59 reads times so, but
    /// does not add the samples when it writes (matroskaenc.c).
    private func codecDelay(in container: OutputFormat) -> Int64 {
        guard container == .matroska, LIBAVFORMAT_VERSION_MAJOR < 60, parameters.codec_id == AV_CODEC_ID_OPUS else {
            return 0
        }
        return Int64(max(0, parameters.initial_padding))
    }

    /// Returns the duration of samples at 48 kHz in a unit of times.
    private static func units(_ samples: Int64, _ unit: AVRational) -> Int64 {
        unit.num > 0 ? av_rescale(samples, Int64(unit.den), 48000 * Int64(unit.num)) : 0
    }

    /// Returns ``start`` as a container stores it.
    func start(in container: OutputFormat) -> MediaTime? {
        let added = Self.units(codecDelay(in: container), timeBase)
        return added > 0 ? start.map { $0 + TimeBase(timeBase).time(added) } : start
    }

    /// Describes the stream to a muxer. Returns false if there is no memory.
    func describe(_ stream: ContainerStream, in container: OutputFormat) -> Bool {
        guard stream.parameters.copy(from: parameters) else { return false }
        stream.time_base = timeBase
        stream.disposition = disposition
        if language != "und" { stream.setTag("language", language) }
        if let title { stream.setTag("title", title) }
        if let handlerName, container.isBaseMedia { stream.setTag("handler_name", handlerName) }
        return true
    }

    private static let keptDispositions =
        AV_DISPOSITION_DEFAULT | AV_DISPOSITION_FORCED | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_DUB
        | AV_DISPOSITION_COMMENT | AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED
        | AV_DISPOSITION_CAPTIONS | AV_DISPOSITION_DESCRIPTIONS

    /// The audio of successive packets.
    private struct AudioExtent {
        var samples: Int64 = 0
        var packets: Int64 = 1
        /// The number of packets whose samples are not known.
        var unknownPackets: Int64 = 0

        static func + (one: AudioExtent, other: AudioExtent) -> AudioExtent {
            AudioExtent(
                samples: one.samples &+ other.samples, packets: one.packets &+ other.packets,
                unknownPackets: one.unknownPackets &+ other.unknownPackets)
        }
    }

    /// The audio of a packet, in samples at ``sampleRate``.
    private func extent(of packet: Packet) -> AudioExtent {
        if parameters.codec_id == AV_CODEC_ID_OPUS {
            let samples = packet.withBytes { OpusPacket.sampleCount($0) }
            return AudioExtent(samples: Int64(samples ?? 0), unknownPackets: samples == nil ? 1 : 0)
        }
        let size = Int64(parameters.frame_size)
        let isKnown = isAudio && size > 0 && sampleRate > 0
        return AudioExtent(samples: isKnown ? size : 0, unknownPackets: isKnown ? 0 : 1)
    }

    private var sampleRate: Int64 {
        parameters.codec_id == AV_CODEC_ID_OPUS ? Int64(OpusPacket.sampleRate) : Int64(parameters.sample_rate)
    }

    /// Returns a duration in the unit of the packets' times. It is rounded once, so that rounding errors do not add up.
    private func duration(of extent: AudioExtent) -> Int64 {
        let unknown = extent.unknownPackets &* usual
        guard sampleRate > 0, timeBase.num > 0 else { return unknown }
        return unknown &+ av_rescale(extent.samples, Int64(timeBase.den), sampleRate * Int64(timeBase.num))
    }

    /// FFmpeg's name of the codec, and the sample rate of audio.
    var description: String {
        let rate = parameters.sample_rate
        return FFmpegText.name(parameters.codec_id) + (rate > 0 ? " of \(rate) Hz" : "")
    }
}
