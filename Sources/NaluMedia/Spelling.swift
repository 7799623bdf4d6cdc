private import Synchronization

/// The language of the caller, in which error messages spell functions, arguments and constants.
package enum Spelling: Sendable {
    case c, swift
    /// The command `nalu`. It uses the spellings of Swift, but has its own names for some options.
    case command

    private static let isCommand = Atomic(false)

    /// Declares the whole process to be the command `nalu`, and not a Swift program.
    package static func becomeCommand() {
        isCommand.store(true, ordering: .relaxed)
    }

    /// The spelling for callers in Swift.
    static var ofProcess: Spelling { isCommand.load(ordering: .relaxed) ? .command : .swift }

    private func choose(_ c: String, _ swift: String, command: String? = nil) -> String {
        switch self {
        case .c: c
        case .swift: swift
        case .command: command ?? swift
        }
    }

    // Options of a display queue.
    var sampleCapacity: String { choose("options.sample_capacity", "options.sampleCapacity") }
    var pictureCapacity: String { choose("options.picture_capacity", "options.pictureCapacity") }
    var prerollCount: String { choose("options.preroll_count", "options.prerollCount") }

    var displayThreadCount: String { choose("options.thread_count", "options.decoder.threadCount") }

    // Options of a reader and a writer.
    var frameDuration: String { choose("options.frame_duration", "frameDuration") }
    var format: String { choose("options.format", "format", command: "--input-format") }
    var spool: String { choose("NALU_READER_SPOOL", "spools") }
    var overwrite: String { choose("NALU_WRITER_OVERWRITE", "options.overwrite", command: "--force") }
    var overwriteCut: String { choose("NALU_CUT_OVERWRITE", "options.overwrite", command: "--force") }
    var fragmented: String { choose("NALU_WRITER_FRAGMENTED", "options.isFragmented", command: "--fragmented") }
    var fastStart: String { choose("NALU_WRITER_FAST_START", "options.fastStart", command: "--fast-start") }
    var startAtZero: String { choose("NALU_WRITER_START_AT_ZERO", "options.startAtZero") }
    var parameterSetsInBand: String {
        choose(
            "NALU_WRITER_PARAMETER_SETS_IN_BAND", "options.parameterSetsInBand", command: "--parameter-sets-in-band")
    }
    var fragmentDuration: String { choose("options.fragment_duration", "options.fragmentDuration") }
    var rotation: String { "options.rotation" }
    var mirrored: String { choose("options.is_mirrored is 1", "options.isMirrored is true") }
    var timescale: String { "options.timescale" }
    var creationTime: String { choose("options.creation_time", "options.creationTime") }

    // Arguments of an audio encoder.
    var sampleRate: String { choose("sample_rate", "sampleRate") }
    var channelCount: String { choose("channel_count", "channelCount") }
    var audioBitRate: String { choose("options.bit_rate", "bitRate") }

    // Options of a decompression session.
    var threadCount: String { choose("specification.thread_count", "options.threadCount") }
    var pixelFormat: String {
        choose("destination_attributes.pixel_format", "options.pixelFormat", command: "--format")
    }
    var width: String { choose("destination_attributes.width", "options.width") }
    var height: String { choose("destination_attributes.height", "options.height") }
    var decodeFlags: String { choose("NALU_DECODE_FRAME_ flags", "DecodeFlags") }

    // Options of a capture session.
    func captureOption(_ c: String, _ swift: String, command: String? = nil) -> String {
        choose("options.\(c)", "options.\(swift)", command: command)
    }

    var startTimeout: String { captureOption("start_timeout", "startTimeout") }
    var showCursor: String { choose("NALU_CAPTURE_SHOW_CURSOR", "options.showsCursor", command: "--cursor") }
    var restoreToken: String { captureOption("restore_token", "restoreToken", command: "--permission") }
    var startCapture: String { choose("nalu_capture_session_start", "start()") }
    var stopCapture: String { choose("nalu_capture_session_stop", "stop()") }

    /// The option for the pixel limit of a reader and of a decompression session.
    var maximumPixelCount: String { choose("maximum_pixel_count", "maximumPixelCount") }
    /// The origin of the pixel limit in an error message. The command has no option for it.
    var pictureLimit: String {
        self == .command ? "which is the limit of this command" : "the value of \(maximumPixelCount)"
    }

    /// Returns a pixel format's name for an error message. C uses numbers.
    func text(pixelFormat: UInt32) -> String {
        let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: pixelFormat >> $0) }
        guard self != .c, characters.allSatisfy({ (0x20...0x7e).contains($0) }) else { return "\(pixelFormat)" }
        return "'" + String(decoding: characters, as: UTF8.self) + "'"
    }

    /// The beginning of error messages about the output. The command's messages already have their own.
    var writingFailed: String { self == .command ? "" : "writing the output failed: " }

    // Functions.
    var selectTrack: String { choose("nalu_reader_select_track", "select(track:)") }
    var seek: String { choose("nalu_reader_seek", "seek(to:)") }
    var addTrack: String { choose("nalu_writer_add_track", "addTrack(_:options:)") }
    var addTrackFromReader: String { choose("nalu_writer_add_track_from_reader", "addTrack(_:of:)") }

    var waitForAsynchronousFrames: String {
        choose("nalu_decompression_session_wait_for_asynchronous_frames", "waitForAsynchronousFrames()")
    }
    var invalidate: String { choose("nalu_decompression_session_invalidate", "invalidate()") }
}
