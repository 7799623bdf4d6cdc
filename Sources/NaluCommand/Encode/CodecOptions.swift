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

    /// Returns the codec that the options, the container or the encoder of that identifier state. Throws for a raw
    /// stream of the other codec.
    func codec(of container: OutputContainer, _ output: String, encoder: String?) throws -> Codec {
        let needed: Codec? =
            switch container.kind {
            case .h264: .h264
            case .hevc: .hevc
            default: nil
            }
        if let codec, let needed, codec != needed, output != "-" {
            throw Failure.usage(
                "--codec is \(codec.rawValue), but \(output) is for \(needed.rawValue); expected another extension or --container"
            )
        }
        let chosen = EncoderRegistry.all.first { $0.id.description == encoder }
        return codec ?? needed ?? (chosen?.codec == EncoderRegistry.h265 ? .hevc : .h264)
    }
}
