internal import CFFmpeg
internal import NaluBitstream

/// An AVStream: one track of a container, which its AVFormatContext owns.
@safe
struct ContainerStream {
    let pointer: UnsafeMutablePointer<AVStream>
    let parameters: CodecParameters

    /// nil for a NULL pointer.
    init?(_ pointer: UnsafeMutablePointer<AVStream>?) {
        guard let pointer = unsafe pointer, let parameters = unsafe pointer.pointee.codecpar else { return nil }
        unsafe self.pointer = pointer
        self.parameters = unsafe CodecParameters(parameters)
    }

    /// The unit of the stream's times, in seconds.
    var timeBase: AVRational {
        get { unsafe pointer.pointee.time_base }
        nonmutating set { unsafe pointer.pointee.time_base = newValue }
    }

    /// The duration in units of ``timeBase``; 0 or less if the container does not state one.
    var duration: Int64 { unsafe pointer.pointee.duration }
    /// The number of frames that the container states; 0 if it states none.
    var frameCount: Int64 { unsafe pointer.pointee.nb_frames }
    var averageFrameRate: AVRational { unsafe pointer.pointee.avg_frame_rate }
    var disposition: Int32 { unsafe pointer.pointee.disposition }

    var sampleAspectRatio: AVRational {
        get { unsafe pointer.pointee.sample_aspect_ratio }
        nonmutating set { unsafe pointer.pointee.sample_aspect_ratio = newValue }
    }

    /// Sets whether the demuxer skips the packets of the track.
    func skip(_ isSkipped: Bool) {
        unsafe pointer.pointee.discard = isSkipped ? AVDISCARD_ALL : AVDISCARD_DEFAULT
    }

    /// Returns the value of a tag; nil if there is no such tag.
    func tag(_ name: String) -> String? {
        unsafe av_dict_get(pointer.pointee.metadata, name, nil, 0).map { unsafe String(cString: $0.pointee.value) }
    }

    func setTag(_ name: String, _ value: String) {
        unsafe av_dict_set(&pointer.pointee.metadata, name, value, 0)
    }

    // MARK: Index

    /// The number of samples that are in the index so far.
    var indexCount: Int32 { unsafe avformat_index_get_entries_count(pointer) }

    /// Returns an entry of the index; nil if the index has no such number.
    func indexEntry(_ number: Int32) -> AVIndexEntry? {
        unsafe avformat_index_get_entry(pointer, number)?.pointee
    }

    /// Returns the number of the entry with the last decode time at or before `time`; negative if there is none.
    func indexNumber(atOrBefore time: Int64) -> Int32 {
        unsafe av_index_search_timestamp(pointer, time, AVSEEK_FLAG_ANY | AVSEEK_FLAG_BACKWARD)
    }
}

/// AVCodecParameters: the codec of a track and the container's description of the track. A stream or a ``PassedTrack``
/// owns the memory.
@safe
struct CodecParameters {
    let pointer: UnsafeMutablePointer<AVCodecParameters>

    init(_ pointer: UnsafeMutablePointer<AVCodecParameters>) {
        unsafe self.pointer = pointer
    }

    var type: AVMediaType {
        get { unsafe pointer.pointee.codec_type }
        nonmutating set { unsafe pointer.pointee.codec_type = newValue }
    }

    var codecID: AVCodecID {
        get { unsafe pointer.pointee.codec_id }
        nonmutating set { unsafe pointer.pointee.codec_id = newValue }
    }

    /// The container's four-character code, its first character in the lowest byte.
    var tag: UInt32 {
        get { unsafe pointer.pointee.codec_tag }
        nonmutating set { unsafe pointer.pointee.codec_tag = newValue }
    }

    var width: Int32 { unsafe pointer.pointee.width }
    var height: Int32 { unsafe pointer.pointee.height }
    var bitRate: Int64 { unsafe pointer.pointee.bit_rate }
    var sampleAspectRatio: AVRational { unsafe pointer.pointee.sample_aspect_ratio }
    var sampleRate: Int32 { unsafe pointer.pointee.sample_rate }
    var channelCount: Int32 { unsafe nalu_ff_get_channels(pointer) }
    /// The number of audio samples in a packet; 0 if it differs between packets.
    var frameSize: Int32 { unsafe pointer.pointee.frame_size }

    /// The codec configuration; valid until the parameters change.
    var configuration: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: pointer.pointee.extradata, count: Int(max(0, pointer.pointee.extradata_size)))
    }

    /// Copies a codec configuration. Returns false if there is no memory.
    func set(configuration: [UInt8]) -> Bool {
        unsafe nalu_ff_set_extradata(pointer, configuration, configuration.count) >= 0
    }

    /// Copies other parameters. Returns false if there is no memory.
    func copy(from other: CodecParameters) -> Bool {
        unsafe avcodec_parameters_copy(pointer, other.pointer) >= 0
    }

    /// Sets size, profile, level, reorder depth and colour from the first SPS of a video.
    func describe(_ sequence: SequenceParameterSet) {
        unsafe pointer.pointee.width = Int32(clamping: sequence.width)
        unsafe pointer.pointee.height = Int32(clamping: sequence.height)
        unsafe pointer.pointee.profile = Int32(clamping: sequence.profileIDC)
        unsafe pointer.pointee.level = Int32(clamping: sequence.levelIDC)
        unsafe pointer.pointee.video_delay = Int32(clamping: sequence.reorderDepth ?? 0)
        unsafe pointer.pointee.format = Self.pixelFormat(sequence).rawValue
        // H.264 and FFmpeg use the colour numbers of ISO/IEC 23091-2.
        unsafe pointer.pointee.color_primaries = AVColorPrimaries(UInt32(clamping: sequence.colorPrimaries))
        unsafe pointer.pointee.color_trc = AVColorTransferCharacteristic(
            UInt32(clamping: sequence.transferCharacteristics))
        unsafe pointer.pointee.color_space = AVColorSpace(UInt32(clamping: sequence.matrixCoefficients))
        unsafe pointer.pointee.color_range = sequence.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    }

    /// The pixel format for programs that do not read the parameter sets, which are authoritative.
    private static func pixelFormat(_ sequence: SequenceParameterSet) -> AVPixelFormat {
        switch (sequence.chromaFormatIDC, sequence.lumaBitDepth) {
        case (1, 8): sequence.isFullRange ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P
        case (1, 10): AV_PIX_FMT_YUV420P10LE
        default: AV_PIX_FMT_NONE
        }
    }

    func set(sampleAspectRatio: AVRational) {
        unsafe pointer.pointee.sample_aspect_ratio = sampleAspectRatio
    }
}
