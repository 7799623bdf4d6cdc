internal import Nalu
private import NaluMedia

/// Finds the format of the input and the session settings that follow from it.
enum InputFacts {
    /// Returns the frames of the input. Reads the beginning of the input if no option names its format.
    static func frames(
        _ options: InputOptions, _ decoder: DecoderOptions, from input: InputFile
    ) throws -> any FrameSource {
        func checkNothingIsDecoded() throws(Failure) {
            guard decoder.texts.isEmpty else {
                throw .usage("--decoder-property is for video files, but \(input.name) contains frames; leave it out")
            }
        }
        if let format = options.format, let size = options.size {
            try checkNothingIsDecoded()
            let facts = VideoFacts(
                width: size.width, height: size.height,
                format: format.pixelFormat(isFullRange: options.range == .full), frameRate: options.fps)
            return try RawFrames(options, input, facts)
        }
        switch try input.beginning(with: Y4MHeader.magic, atMost: Y4MHeader.longest) {
        case .line(let line):
            try checkNothingIsDecoded()
            return try RawFrames(options, input, Y4MHeader.facts(of: line, name: input.name, range: options.range))
        case .other(let bytes):
            return try media(options, decoder, input, bytes)
        }
    }

    private static func media(
        _ options: InputOptions, _ decoder: DecoderOptions, _ input: InputFile, _ bytes: [UInt8]
    ) throws -> any FrameSource {
        let file: MediaFile
        do {
            file = try MediaFile(MediaFile.reader(input, beginning: bytes), name: input.name, track: nil)
        } catch let error as NaluError where error.status != .unsupportedDataFormat {
            throw Failure("cannot read \(input.name): \(error.message)")
        } catch {
            let reason = (error as? Failure)?.message ?? (error as? NaluError)?.message ?? "\(error)"
            throw Failure(
                "\(input.name) is not Y4M, and cannot be read as a video file: \(reason); for raw frames add --format, --size and "
                    + "--fps, and for other formats use ffmpeg -i FILE -f yuv4mpegpipe - | nalu encode - -o OUT")
        }
        if options.range != nil {
            throw Failure.usage("--range is for Y4M and raw frames; \(input.name) states its own range; leave it out")
        }
        return try DecodedFrames(file, limit: options.frames, retimed: options.fps, options: decoder.options())
    }

    /// Returns the settings that follow from the input, then the user's settings, which take precedence.
    static func settings(
        of facts: VideoFacts, encoder: String? = nil, asked: [(key: PropertyKey, value: PropertyValue?)]
    ) -> [(key: PropertyKey, value: PropertyValue?)] {
        let names = SourceSettings.overridden(by: asked)
        return facts.properties(of: encoder).filter { !names.contains($0.key) } + asked
    }
}
