public import Nalu
internal import NaluMediaEngine

/// The part that ``Reader/cut(_:to:options:)`` copies, and the form of the output.
public struct CutOptions: Sendable {
    /// The part has the frames presented at this time of the input or later; nil: from the first on.
    public var start: MediaTime?
    /// The part has the frames presented before this time of the input; nil: up to the last.
    public var end: MediaTime?
    /// The output's container; nil: by the path's extension.
    public var container: Container?
    /// The input's format, if its content does not show it; see ``Reader/init(path:frameDuration:format:ignoresEditList:spools:maximumPixelCount:)``.
    public var format: String?
    /// Replace an existing file.
    public var overwrite = false
    /// Receives the completed share of the work, 0 to 1. False ends it: the function throws `.cancelled`.
    public var progress: (@Sendable (Double) -> Bool)?

    public init() {}
}

/// The numbers of frames that ``Reader/cut(_:to:options:)`` copied, encoded and hid.
public struct CutResult: Sendable, Equatable {
    /// Frames whose samples are those of the input, byte for byte.
    public let copiedFrames: Int
    /// Frames that were encoded anew, at the edges.
    public let encodedFrames: Int
    /// Frames outside the part that are copied because others refer to them; the edit list hides them.
    public let hiddenFrames: Int
    /// FFmpeg's names of the codecs of other tracks that the output does not have.
    public let leftOut: [String]
}

extension Reader {
    /// Copies a part of a file. Samples stay byte for byte; only the pictures between the part's start and the next IDR picture,
    /// and the last ones if they refer to later ones, are encoded anew. The output begins at 0, other tracks are in step.
    /// docs/cutting.md says what is done with streams that cannot be encoded.
    ///
    /// Throws as ``init(path:frameDuration:format:ignoresEditList:spools:maximumPixelCount:)`` and ``Writer`` do;
    /// `.invalidTime` when the end is not after the start; `.valueNotAvailable` when there is no frame in the part;
    /// `.unsupportedDataFormat` when the edges cannot be encoded and the container cannot hide pictures; `.parameter` when the
    /// output is the input; `.conflict` when the input cannot seek; `.cancelled`.
    @discardableResult
    public static func cut(
        _ input: String, to output: String, options: CutOptions = CutOptions()
    ) throws(NaluError) -> CutResult {
        var settings = NaluMediaEngine.CutOptions(face: Caller.face)
        settings.start = options.start
        settings.end = options.end
        settings.container = options.container?.rawValue
        settings.format = options.format
        settings.overwrite = options.overwrite
        settings.progress = options.progress
        let result = try Cutter.cut(input, to: output, settings)
        return CutResult(
            copiedFrames: result.copiedFrames, encodedFrames: result.encodedFrames, hiddenFrames: result.hiddenFrames,
            leftOut: result.leftOut)
    }
}
