internal import Nalu
internal import NaluMediaEngine

/// From the engine, which speaks as the C interface does, to the module's own types.
enum Bridge {
    /// What the engine throws, as what module Nalu throws.
    static func translated<Result>(_ body: () throws(NaluError) -> Result) throws(NaluError) -> Result {
        do throws(NaluError) {
            return try body()
        } catch {
            throw NaluError(error.status, inSwift(error.message))
        }
    }

    /// The handle of an object of module Nalu is the object's own address. Whoever calls keeps the object alive.
    static func handle(_ object: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// The engine's sentences name C's constants and functions.
    private static let words = [
        ("options.flags has ", "options has "),
        ("NALU_WRITER_OVERWRITE", "overwrite"),
        ("NALU_WRITER_FRAGMENTED", "isFragmented"),
        ("NALU_WRITER_FAST_START", "fastStart"),
        ("NALU_WRITER_START_AT_ZERO", "startAtZero"),
        ("options.fragment_duration", "options.fragmentDuration"),
        ("options.creation_time", "options.creationTime"),
        ("nalu_writer_add_track", "addTrack"),
        ("nalu_format_description", "FormatDescription"),
        ("nalu_sample", "Sample"),
    ]

    private static func inSwift(_ sentence: String) -> String {
        guard sentence.contains("_") || sentence.contains("options.flags") else { return sentence }
        return words.reduce(sentence) { $0.replacing($1.0, with: $1.1) }
    }
}
