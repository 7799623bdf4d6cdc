internal import ArgumentParser
internal import Nalu

/// What a stream does not say itself.
struct StreamFormOptions: ParsableArguments {
    @Flag(help: "It is Annex B, whatever it looks like.")
    var annexb = false

    @Option(help: ArgumentHelp("It is length-prefixed, with lengths of 1, 2 or 4 bytes.", valueName: "bytes"))
    var lengthSize: Int?

    @Option(
        help: ArgumentHelp("Parameter sets and length size from the content of an avcC box.", valueName: "file"),
        completion: .file())
    var avcc: String?

    func validate() throws {
        if let lengthSize, ![1, 2, 4].contains(lengthSize) {
            throw ValidationError("--length-size is \(lengthSize), expected 1, 2 or 4")
        }
        if annexb, lengthSize != nil { throw ValidationError("--annexb and --length-size exclude each other") }
    }

    /// The record of `--avcc`.
    func configuration() throws -> AVCConfiguration? {
        guard let avcc else { return nil }
        let bytes = try ByteInput(path: avcc).all(limit: 1 << 20)
        do throws(NaluError) {
            return try AVCConfiguration(reading: bytes)
        } catch {
            throw Failure("\(avcc): \(error.message)")
        }
    }

    /// Nil where it is to be found out.
    func form(_ configuration: AVCConfiguration?) -> StreamForm? {
        if annexb { return .annexB }
        return (lengthSize ?? configuration?.lengthSize).map { .lengthPrefixed($0) }
    }
}
