/// The interface that calls the engine: sentences name functions, arguments and constants as it spells them.
public enum Face: Sendable {
    case c, swift

    private func spelling(_ c: String, _ swift: String) -> String { self == .c ? c : swift }

    // Options of a reader and a writer.
    var frameDuration: String { spelling("options.frame_duration", "frameDuration") }
    var format: String { spelling("options.format", "format") }
    var overwrite: String { spelling("NALU_WRITER_OVERWRITE", "options.overwrite") }
    var fragmented: String { spelling("NALU_WRITER_FRAGMENTED", "options.isFragmented") }
    var fastStart: String { spelling("NALU_WRITER_FAST_START", "options.fastStart") }
    var startAtZero: String { spelling("NALU_WRITER_START_AT_ZERO", "options.startAtZero") }
    var setsInBand: String { spelling("NALU_WRITER_PARAMETER_SETS_IN_BAND", "options.setsInBand") }
    var fragmentDuration: String { spelling("options.fragment_duration", "options.fragmentDuration") }
    var creationTime: String { spelling("options.creation_time", "options.creationTime") }

    // Functions.
    var selectTrack: String { spelling("nalu_reader_select_track", "select(track:)") }
    var seek: String { spelling("nalu_reader_seek", "seek(to:)") }
    var addTrack: String { spelling("nalu_writer_add_track", "addTrack(_:options:)") }
    var addTrackFromReader: String { spelling("nalu_writer_add_track_from_reader", "addTrack(_:of:)") }

    // Types.
    var formatDescription: String { spelling("nalu_format_description", "FormatDescription") }
    var sample: String { spelling("nalu_sample", "Sample") }
}
