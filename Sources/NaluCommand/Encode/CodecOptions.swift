internal import ArgumentParser
internal import Nalu
private import NaluMedia

/// The codec of the output.
struct CodecOptions: ParsableArguments {
    enum Codec: String, CaseIterable, ExpressibleByArgument {
        case h264, hevc

        var code: UInt32 {
            switch self {
            case .h264: EncoderRegistry.h264
            case .hevc: EncoderRegistry.h265
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "The codec of the output: h264, or hevc (H.265), which needs libx265. By default h264, and hevc for a name that "
                + "ends in .h265.", valueName: "name"))
    var codec: Codec?

    /// Returns the codec that the options, the containers or the encoder of that identifier state. Throws if they state
    /// different ones.
    ///
    /// - Parameter outputs: the outputs that get the samples, with their paths or addresses.
    func codec(of outputs: [(container: OutputContainer, path: String)], encoder: String?) throws -> Codec {
        let chosen = EncoderRegistry.all.first { $0.id.description == encoder }
        let own = chosen.map { $0.codec == EncoderRegistry.h265 ? Codec.hevc : .h264 }
        var found = codec
        var reason = codec.map { "--codec is \($0.rawValue)" } ?? ""
        for (container, path) in outputs {
            guard let needed = container.codec, path != "-" || found == nil && own == nil else { continue }
            if found == nil { (found, reason) = (needed, "\(path) is for \(needed.rawValue)") }
            if found == needed { continue }
            let expected =
                Publisher.isAddress(path)
                ? "an address that MPEG-TS is sent to: srt://, udp:// or http://" : "another extension or --container"
            throw Failure.usage("\(reason), but \(path) is for \(needed.rawValue); expected \(expected)")
        }
        if let found, let chosen, let own, found != own {
            throw Failure.usage("\(reason), but --encoder is \(chosen.id), which encodes \(own.rawValue)")
        }
        return found ?? own ?? .h264
    }
}

extension OutputContainer {
    /// The only codec that the container can hold; nil if it can hold both.
    fileprivate var codec: CodecOptions.Codec? {
        switch kind {
        case .h264, .flv: .h264
        case .hevc: .hevc
        default: nil
        }
    }
}
