public import NaluBase

/// The part of a file to copy, and the form of the output.
public struct CutOptions: Sendable {
    /// The first presentation time of the part; nil for the beginning of the video.
    public var start: MediaTime?
    /// The presentation time before which the part ends; nil for the end of the video.
    public var end: MediaTime?
    /// The output's container; nil for the one that the path's extension names.
    public var container: String?
    /// The input's format, if its content does not show it.
    public var format: String?
    /// Replace an existing file.
    public var overwrite = false
    /// Receives the completed share of the work, 0 to 1. False ends it with `.cancelled`.
    public var progress: (@Sendable (Double) -> Bool)?

    let face: Face

    public init(face: Face) {
        self.face = face
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
                "end is \(Self.seconds(end)) s and start \(Self.seconds(start)) s; expected an end after the start")
        }
    }

    /// A time for an error message, to a thousandth of a second.
    static func seconds(_ time: MediaTime) -> String {
        let thousandths = Int64(min(max((time.seconds * 1000).rounded(), -1e15), 1e15))
        let rest = String(thousandths.magnitude % 1000)
        var text = "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000)"
        if rest != "0" { text += "." + String(repeating: "0", count: 3 - rest.count) + rest }
        while text.contains("."), text.hasSuffix("0") { text.removeLast() }
        return text
    }
}

/// The numbers of frames that a cut copied, encoded and hid.
public struct CutResult: Sendable {
    /// Frames whose bytes are those of the input.
    public var copiedFrames = 0
    /// Frames that were encoded anew.
    public var encodedFrames = 0
    /// Frames before the start and after the end that are copied because others refer to them; the edit list hides them.
    public var hiddenFrames = 0
    /// FFmpeg's names of the codecs of other tracks that the output does not have.
    public var leftOut: [String] = []

    public init() {}
}
