internal import CNalu
internal import NaluBase
internal import NaluBitstream

/// A compression session whose stream can stand beside another one: in the same profile, shape and colour.
@safe
final class EdgeSession {
    /// The samples that the session's thread has delivered.
    @safe
    private final class Output: Sendable {
        /// `@unchecked Sendable`: samples are immutable, and one thread at a time has the list, under the lock.
        struct State: @unchecked Sendable {
            var samples: [SampleObject] = []
            var failure: nalu_status?
        }

        let state = Guarded(State())
    }

    private let session: OpaquePointer
    private let output = Output()

    /// A quality that the eye does not tell from the source; x264's CRF is 12.
    private static let quality = 0.83

    /// - Parameters:
    ///   - pixelFormat: of the pictures.
    ///   - parameterSetID: of the sets of this stream.
    init(
        like format: FormatObject, pixelFormat: nalu_pixel_format, frameRate: Double, parameterSetID: Int
    ) throws(NaluError) {
        guard let info = format.sequenceInfo else {
            throw NaluError(.unsupportedDataFormat, "the input has no sequence parameter set")
        }
        var attributes = nalu_source_attributes()
        attributes.struct_size = UInt32(MemoryLayout<nalu_source_attributes>.size)
        attributes.pixel_format = pixelFormat
        var made: OpaquePointer?
        let refcon = unsafe Unmanaged.passRetained(output).toOpaque()
        let status = unsafe nalu_compression_session_create(
            info.width, info.height, VideoCodec.h264.rawValue, nil, &attributes,
            { refcon, _, status, flags, sample in
                guard let refcon = unsafe refcon else { return }
                let output = unsafe Unmanaged<Output>.fromOpaque(refcon).takeUnretainedValue()
                let object = unsafe SampleObject(retaining: sample)
                output.state.withLock { state in
                    if let object { state.samples.append(object) } else { state.failure = state.failure ?? status }
                }
            }, refcon, { refcon in unsafe refcon.map { unsafe Unmanaged<Output>.fromOpaque($0).release() } }, &made)
        guard let made = unsafe made else {
            unsafe Unmanaged<Output>.fromOpaque(refcon).release()
            throw NaluError.last(status)
        }
        unsafe session = made
        try unsafe check(nalu_session_set_double(session, NALU_PROPERTY_QUALITY, Self.quality))
        try unsafe check(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0))
        if frameRate > 0 {
            try unsafe check(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, frameRate))
        }
        if info.luma_bit_depth > 8 {
            try unsafe check(nalu_session_set_int64(session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, 10))
        } else if let profile = Self.profile(info) {
            try unsafe check(nalu_session_set_string(session, NALU_PROPERTY_PROFILE_LEVEL, profile))
        }
        if info.pixel_aspect_ratio_horizontal > 0 && info.pixel_aspect_ratio_vertical > 0 {
            let ratio = [Double(info.pixel_aspect_ratio_horizontal), Double(info.pixel_aspect_ratio_vertical)]
            try unsafe check(nalu_session_set_numbers(session, NALU_PROPERTY_PIXEL_ASPECT_RATIO, ratio, 2))
        }
        let params = VideoSignalNames(info).options + ["sps-id=\(parameterSetID)"]
        try unsafe check(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, params.joined(separator: ":")))
        try unsafe check(nalu_compression_session_prepare(session))
    }

    deinit {
        _ = unsafe nalu_compression_session_invalidate(session)
        unsafe nalu_compression_session_release(session)
    }

    /// The profile of the source, so that what plays the copied pictures plays these too; nil for any.
    private static func profile(_ info: nalu_sequence_info) -> String? {
        switch info.profile_idc {
        case 66: NALU_PROFILE_LEVEL_H264_CONSTRAINED_BASELINE_AUTO_LEVEL
        case 77: NALU_PROFILE_LEVEL_H264_MAIN_AUTO_LEVEL
        case 100: NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL
        default: nil
        }
    }

    private func check(_ status: nalu_status) throws(NaluError) {
        guard status == NALU_STATUS_OK else { throw NaluError.last(status) }
    }

    /// Waits if the encoder is behind.
    func encode(_ image: PixelBufferObject, at time: MediaTime, lasting duration: MediaTime) throws(NaluError) {
        try check(
            unsafe nalu_compression_session_encode_frame(
                session, image.handle, time.cTime, duration.cTime, nil, nil, nil))
    }

    /// The samples that are ready, in order.
    func take() throws(NaluError) -> [SampleObject] {
        let (samples, failure) = output.state.withLock { state in
            defer { state.samples = [] }
            return (state.samples, state.failure)
        }
        if let failure { throw NaluError(Status(rawValue: failure), "the pictures at the edge cannot be encoded") }
        return samples
    }

    /// The remaining samples.
    func finish() throws(NaluError) -> [SampleObject] {
        try unsafe check(nalu_compression_session_complete_frames(session, nalu_time_invalid()))
        return try take()
    }
}

/// x264's names of what an SPS says about colour; ITU-T H.273 has the numbers.
struct VideoSignalNames {
    let options: [String]

    private static let primaries = [
        1: "bt709", 2: "undef", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "film", 9: "bt2020",
        10: "smpte428", 11: "smpte431", 12: "smpte432",
    ]
    private static let transfers = [
        1: "bt709", 2: "undef", 4: "bt470m", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "linear", 9: "log100",
        10: "log316", 11: "iec61966-2-4", 12: "bt1361e", 13: "iec61966-2-1", 14: "bt2020-10", 15: "bt2020-12",
        16: "smpte2084", 17: "smpte428", 18: "arib-std-b67",
    ]
    private static let matrices = [
        1: "bt709", 2: "undef", 4: "fcc", 5: "bt470bg", 6: "smpte170m", 7: "smpte240m", 8: "YCgCo", 9: "bt2020nc",
        10: "bt2020c", 11: "smpte2085", 12: "chroma-derived-nc", 13: "chroma-derived-c", 14: "ICtCp",
    ]

    init(_ info: nalu_sequence_info) {
        var options: [String] = []
        for (name, names, number) in [
            ("colorprim", Self.primaries, info.color_primaries),
            ("transfer", Self.transfers, info.transfer_characteristics),
            ("colormatrix", Self.matrices, info.matrix_coefficients),
        ] {
            if let value = names[Int(number)] { options.append("\(name)=\(value)") }
        }
        if info.chroma_location > 0 { options.append("chromaloc=\(info.chroma_location)") }
        self.options = options
    }
}
