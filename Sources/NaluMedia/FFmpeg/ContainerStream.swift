internal import CFFmpeg
internal import Nalu
internal import NaluBitstream

/// One track of a container, which its AVFormatContext owns.
typealias ContainerStream = FFmpegStruct<AVStream>

extension ContainerStream {
    var parameters: CodecParameters { unsafe FFmpegStruct<AVCodecParameters>(pointer.pointee.codecpar) }

    /// Sets whether the demuxer skips the packets of the track.
    func skip(_ isSkipped: Bool) {
        self.discard = isSkipped ? AVDISCARD_ALL : AVDISCARD_DEFAULT
    }

    /// Returns the value of a tag; nil if there is no such tag.
    func tag(_ name: String) -> String? {
        unsafe FFmpegText.tag(name, in: pointer.pointee.metadata)
    }

    func setTag(_ name: String, _ value: String) {
        unsafe av_dict_set(&pointer.pointee.metadata, name, value, 0)
    }

    /// The 3x3 matrix of ISO/IEC 14496-12 8.3.2; nil if the stream has none.
    var matrix: [Int32]? {
        unsafe nalu_ff_get_matrix(pointer).map { unsafe [Int32](UnsafeBufferPointer(start: $0, count: 9)) }
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

/// The codec of a track and the container's description of the track. A stream or a ``PassedTrack`` owns the memory.
typealias CodecParameters = FFmpegStruct<AVCodecParameters>

extension CodecParameters {
    /// A copy of the codec configuration.
    var configuration: [UInt8] {
        let size = Int(max(0, self.extradata_size))
        return unsafe [UInt8](UnsafeBufferPointer(start: pointer.pointee.extradata, count: size))
    }

    /// Copies a codec configuration. Returns false if there is no memory.
    func set(configuration: [UInt8]) -> Bool {
        unsafe nalu_ff_set_extradata(pointer, configuration, configuration.count) >= 0
    }

    /// Copies other parameters. Returns false if there is no memory.
    func copy(from other: CodecParameters) -> Bool {
        unsafe avcodec_parameters_copy(pointer, other.pointer) >= 0
    }

    /// Sets rate and channels of AAC-LC. The times of the packets show the priming.
    func describe(_ audio: AudioFormat) {
        self.codec_type = AVMEDIA_TYPE_AUDIO
        self.codec_id = AV_CODEC_ID_AAC
        self.format = AV_SAMPLE_FMT_FLTP.rawValue
        self.sample_rate = Int32(clamping: audio.sampleRate)
        self.frame_size = AACEncoder.frameSize
        unsafe nalu_ff_set_audio_layout(&pointer.pointee.ch_layout, Int32(clamping: audio.channelCount))
    }

    /// Sets size, profile, level, reorder depth and colour from the first SPS of a video.
    func describe(_ sequence: SequenceParameterSet) {
        self.width = Int32(clamping: sequence.width)
        self.height = Int32(clamping: sequence.height)
        self.profile = Int32(clamping: sequence.profileIDC)
        self.level = Int32(clamping: sequence.levelIDC)
        self.video_delay = Int32(clamping: sequence.reorderDepth ?? 0)
        self.format = Self.pixelFormat(sequence).rawValue
        // H.264 and FFmpeg use the colour numbers of ISO/IEC 23091-2.
        self.color_primaries = AVColorPrimaries(UInt32(clamping: sequence.colorPrimaries))
        self.color_trc = AVColorTransferCharacteristic(UInt32(clamping: sequence.transferCharacteristics))
        self.color_space = AVColorSpace(UInt32(clamping: sequence.matrixCoefficients))
        self.color_range = sequence.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    }

    /// The pixel format for programs that do not read the parameter sets, which are authoritative.
    private static func pixelFormat(_ sequence: SequenceParameterSet) -> AVPixelFormat {
        switch (sequence.chromaFormatIDC, sequence.lumaBitDepth) {
        case (1, 8): sequence.isFullRange ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P
        case (1, 10): AV_PIX_FMT_YUV420P10LE
        default: AV_PIX_FMT_NONE
        }
    }
}
