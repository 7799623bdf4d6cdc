public import NaluBase

/// The range that ``Reader/cut(_:to:options:)`` copies, and the form of the output.
public struct CutOptions: Sendable {
    /// The range has the frames presented at this time of the input or later; nil: from the first frame on.
    public var start: MediaTime?
    /// The range has the frames presented before this time of the input; nil: up to the last frame.
    public var end: MediaTime?
    /// The output's container; nil: the one that the path's extension names.
    public var container: Container?
    /// The input's format, if its content does not show it; see ``Reader/init(path:frameDuration:format:ignoresEditList:spools:maximumPixelCount:)``.
    public var format: String?
    /// Replaces an existing file. Without this option such a path is refused.
    public var overwrite = false
    /// Receives the completed share of the work, from 0 to 1. If it returns false, the cut ends and throws
    /// `.cancelled`.
    public var progress: (@Sendable (Double) -> Bool)?

    let spelling: Spelling

    public init() {
        self.init(spelling: Spelling.ofProcess)
    }

    package init(spelling: Spelling) {
        self.spelling = spelling
    }

    func check() throws(NaluError) {
        for (name, time) in [("start", start), ("end", end)] {
            guard let time, !time.isNumeric else { continue }
            throw NaluError(.invalidTime, "\(name) is not a numeric time; expected seconds of the input")
        }
        guard let end else { return }
        if let start, end <= start {
            throw NaluError(
                .invalidTime,
                "end is \(end.secondsText) s and start \(start.secondsText) s; expected an end after the start")
        }
    }
}

/// The numbers of frames that ``Reader/cut(_:to:options:)`` copied, encoded and hid.
public struct CutResult: Sendable, Equatable {
    /// Frames whose samples are those of the input, byte for byte.
    public internal(set) var copiedFrames = 0
    /// Frames that were encoded again, at the edges.
    public internal(set) var encodedFrames = 0
    /// Frames outside the range that are copied because others refer to them. The edit list hides them.
    public internal(set) var hiddenFrames = 0
    /// FFmpeg's codec names of the other tracks that the output does not contain.
    public internal(set) var leftOut: [String] = []
    /// The indices of the tracks in ``leftOut``.
    package internal(set) var leftOutTracks: Set<Int> = []
}

extension Reader {
    /// Copies a range of a file. Samples are copied byte for byte. Only the pictures between the start and the next IDR
    /// picture, and the last ones if they refer to later ones, are encoded again. The output begins at 0, and other
    /// tracks stay in sync. docs/cutting.md describes streams that cannot be encoded.
    ///
    /// Throws as ``init(path:frameDuration:format:ignoresEditList:spools:maximumPixelCount:)`` and ``Writer`` do;
    /// `.invalidTime` if the end is not after the start; `.valueNotAvailable` if the range has no frame;
    /// `.unsupportedDataFormat` if the edges cannot be encoded and the container cannot hide pictures; `.parameter` if
    /// the output is the input; `.conflict` if the input cannot seek; `.cancelled`.
    @discardableResult
    public static func cut(
        _ input: String, to output: String, options: CutOptions = CutOptions()
    ) throws(NaluError) -> CutResult {
        try Cutter.cut(input, to: output, options)
    }
}
