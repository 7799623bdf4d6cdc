internal import ArgumentParser
internal import NaluMedia

/// The rules for the paths of `nalu capture`, which are checked before anything is opened.
enum CaptureOutputCheck {
    static func check(_ path: String, record: String?, hasAudio: Bool, _ options: OutputOptions) throws {
        if let record {
            guard Publisher.isAddress(path) else {
                throw ValidationError(
                    "--record is for a file beside an address, but the output is the file \(path); leave it out")
            }
            try OutputOptions.checkAddress(path)
            if Publisher.isAddress(record) {
                throw ValidationError("--record is \(record), an address; expected a file")
            }
            try options.check(record)
        } else {
            try options.check(path)
        }
        let kind = options.container(of: record ?? path).kind
        if hasAudio, kind == .h264 || kind == .hevc {
            throw ValidationError(
                "--audio needs a container, but \(record ?? path) is a raw \(kind) stream, which has no audio; expected .mp4, .mov, .mkv, .ts or .flv, or no --audio"
            )
        }
    }
}
