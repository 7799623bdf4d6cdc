internal import Nalu

/// Finds out what the input is, and what follows from it for the session.
enum InputFacts {
    /// Reads the header where there is one.
    static func read(_ options: InputOptions, from input: InputFile) throws -> VideoFacts {
        if let format = options.format, let size = options.size {
            return VideoFacts(
                width: size.width, height: size.height,
                format: format.pixelFormat(isFullRange: options.range == .full), frameRate: options.fps)
        }
        guard let line = try input.line(startingWith: Y4MHeader.magic, atMost: Y4MHeader.longest) else {
            throw Failure(
                "\(input.name) is not Y4M; for raw frames add --format, --size and --fps, and for anything else: "
                    + "ffmpeg -i FILE -f yuv4mpegpipe - | nalu encode - -o OUT")
        }
        return try Y4MHeader.facts(of: line, name: input.name, range: options.range)
    }

    /// What the input says, and then what was asked for, which wins.
    static func settings(
        of facts: VideoFacts, asked: [(key: PropertyKey, value: PropertyValue?)]
    ) -> [(key: PropertyKey, value: PropertyValue?)] {
        let names = Set(asked.map(\.key))
        var settings = facts.properties.filter { !names.contains($0.key) } + asked
        // No property of VideoToolbox has the place of chroma; saying nothing means 0.
        guard let location = facts.chromaLocation, location != 0, !names.contains(.fieldCount),
            !names.contains(.fieldDetail)
        else { return settings }
        let index = settings.firstIndex { $0.key == .x264Params }
        let params = index.flatMap { settings[$0].value?.stringValue } ?? ""
        guard !params.contains("chromaloc") else { return settings }
        if let index { settings.remove(at: index) }
        let text = "chromaloc=\(location)" + (params.isEmpty ? "" : ":\(params)")
        settings.append((.x264Params, .string(text)))
        return settings
    }
}
