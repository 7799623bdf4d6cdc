internal import Nalu

/// The checked options of a session, and its demands on each source.
struct CapturePlan: Sendable {
    let wantsVideo: Bool
    let wantsAudio: Bool
    let startTimeout: Double
    private let bufferLimit: Int
    /// The devices with their demands: one if a device delivers both media, otherwise up to two.
    private let demands: [(device: CaptureDevice, request: CaptureRequest)]

    /// Checks all options. Throws the errors of ``CaptureSession/init(device:options:video:audio:end:)``.
    init(
        _ device: CaptureDevice, _ options: CaptureSession.Options, wantsVideo: Bool, wantsAudio: Bool
    ) throws(NaluError) {
        let spelling = options.spelling
        self.wantsVideo = wantsVideo
        self.wantsAudio = wantsAudio
        guard wantsVideo || wantsAudio else {
            throw NaluError(.parameter, "neither a video nor an audio callback is given; expected at least one")
        }
        let audioDevice = options.audioDevice ?? device
        if wantsVideo && device.videoFormats.isEmpty {
            throw NaluError(
                .unsupportedDataFormat, "the device \(device.id) has no pictures; expected no video callback for it")
        }
        if wantsAudio && audioDevice.audioFormats.isEmpty {
            throw NaluError(
                .unsupportedDataFormat,
                "the device \(audioDevice.id) has no audio; expected no audio callback, or another audio device")
        }
        try Self.check(options, spelling)
        bufferLimit = options.maximumBufferCount
        startTimeout = options.startTimeout

        var request = CaptureRequest()
        request.wantsVideo = wantsVideo
        request.frameDuration = options.frameDuration
        if let width = options.width, let height = options.height { request.size = (width, height) }
        request.pixelFormat = options.pixelFormat
        request.region = options.region
        request.showsCursor = options.showsCursor
        request.restoreToken = options.restoreToken
        request.sampleRate = options.sampleRate
        request.channelCount = options.channelCount
        if device.kind != .screen {
            if options.region != nil {
                throw NaluError(
                    .parameter, "a region is given, and \(device.id) is no screen; expected a screen, or no region")
            }
            if options.showsCursor {
                throw NaluError(
                    .parameter, "\(spelling.showCursor) is set, and \(device.id) is no screen; expected a screen")
            }
            if options.restoreToken != nil {
                throw NaluError(
                    .parameter, "\(spelling.restoreToken) is set, and \(device.id) is no screen; expected a screen")
            }
        }
        var demands: [(device: CaptureDevice, request: CaptureRequest)] = []
        if wantsVideo && wantsAudio && audioDevice === device {
            request.wantsAudio = true
            demands = [(device, request)]
        } else {
            if wantsVideo { demands.append((device, request)) }
            if wantsAudio {
                request.wantsVideo = false
                request.wantsAudio = true
                request.restoreToken = nil
                demands.append((audioDevice, request))
            }
        }
        self.demands = demands
        if wantsVideo { try Self.checkConversion(device, demands[0].request) }
        // A source refuses a wrong request here, and not at the start.
        _ = try setups()
    }

    /// Creates new sources.
    ///
    /// - Parameter restoreToken: the token of the last start, which replaces the one of the options: a token serves once.
    func setups(restoreToken: String? = nil) throws(NaluError) -> [CaptureSetup] {
        var setups: [CaptureSetup] = []
        for (device, request) in demands {
            var request = request
            if request.restoreToken != nil, let restoreToken { request.restoreToken = restoreToken }
            setups.append(
                CaptureSetup(source: try device.makeSource(request), request: request, bufferLimit: bufferLimit))
        }
        return setups
    }

    private static func checkConversion(_ device: CaptureDevice, _ request: CaptureRequest) throws(NaluError) {
        guard let wanted = request.pixelFormat, !wanted.is420 else { return }
        // A source with several formats chooses, and its sink reports a conversion that is impossible.
        if device.videoFormats.contains(where: { $0.pixelFormat == wanted }) { return }
        try CaptureSink.checkConversion(to: wanted, from: device.videoFormats[0], isScaled: false)
    }

    private static func check(_ options: CaptureSession.Options, _ spelling: Spelling) throws(NaluError) {
        func name(_ c: String, _ swift: String, command: String? = nil) -> String {
            spelling.captureOption(c, swift, command: command)
        }
        for (label, value) in [("width", options.width), ("height", options.height)] {
            guard let value else {
                guard options.width == nil && options.height == nil else {
                    throw NaluError(
                        .invalidSize,
                        "\(name(label, label, command: "--size")) is not given, and the other side is; expected both or none"
                    )
                }
                continue
            }
            guard 1...16384 ~= value else {
                throw NaluError(
                    .invalidSize, "\(name(label, label, command: "--size")) is \(value) pixels; expected 1 to 16384")
            }
        }
        if let format = options.pixelFormat, !format.isSupported {
            throw NaluError(
                .invalidPixelFormat,
                "\(name("pixel_format", "pixelFormat")) is \(spelling.text(pixelFormat: format.rawValue)), which is unknown; expected a pixel format"
            )
        }
        if let region = options.region {
            let label = name("region", "region", command: "--region")
            guard 0...65535 ~= region.x, 0...65535 ~= region.y, 1...16384 ~= region.width, 1...16384 ~= region.height
            else {
                throw NaluError(
                    .invalidSize,
                    "\(label) is \(region.width)x\(region.height) at \(region.x),\(region.y); expected sizes of 1 to 16384 and positions of 0 to 65535 pixels"
                )
            }
        }
        if let duration = options.frameDuration {
            let label = name("frame_duration", "frameDuration", command: "--fps")
            guard duration.isNumeric else {
                throw NaluError(.invalidTime, "\(label) is not a number of seconds; expected 1/1000 s to 10 s")
            }
            let isInRange =
                duration >= MediaTime(value: 1, timescale: 1000) && duration <= MediaTime(value: 10, timescale: 1)
            guard isInRange && duration.epoch == 0 else {
                throw NaluError(
                    .outOfRange,
                    "\(label) is \(duration.value)/\(duration.timescale) s; expected 1/1000 s to 10 s (1000 to 0.1 pictures per second)"
                )
            }
        }
        func check(_ label: String, _ value: Int, _ range: ClosedRange<Int>) throws(NaluError) {
            guard range ~= value else {
                throw NaluError(
                    .outOfRange, "\(label) is \(value); expected \(range.lowerBound) to \(range.upperBound)")
            }
        }
        try check(
            name("maximum_buffer_count", "maximumBufferCount"), options.maximumBufferCount,
            4...256)
        try check(name("sample_rate", "sampleRate"), options.sampleRate, 8000...192_000)
        if let token = options.restoreToken {
            guard token.utf8.count < 1024, !token.utf8.contains(0) else {
                throw NaluError(
                    .outOfRange,
                    "\(spelling.restoreToken) has \(token.utf8.count) bytes; expected at most 1023, none of them 0")
            }
        }
        if let count = options.channelCount {
            try check(name("channel_count", "channelCount"), count, 1...8)
        }
        guard 0.1...600 ~= options.startTimeout else {
            throw NaluError(
                .outOfRange, "\(spelling.startTimeout) is \(options.startTimeout); expected 0.1 to 600 seconds")
        }
    }
}
