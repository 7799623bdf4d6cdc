internal import ArgumentParser
private import Nalu

/// The subcommand `nalu encoders`.
struct EncodersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "encoders", abstract: "List the available encoders.")

    @Flag(help: "Write JSON.")
    var json = false

    func run() {
        let encoders = EncoderRegistry.all
        guard !json else {
            let list = encoders.map { encoder in
                JSONValue.object([
                    ("id", .string(encoder.id.description)), ("name", .string(encoder.name)),
                    ("codec", .string(Self.fourCharacters(encoder.codec))),
                ])
            }
            Console.print(JSONValue.array(list).text)
            return
        }
        var table = TextTable(header: ["ID", "CODEC", "NAME"])
        for encoder in encoders {
            table.add([encoder.id.description, Self.fourCharacters(encoder.codec), encoder.name])
        }
        Console.print(table.text)
    }

    private static func fourCharacters(_ code: UInt32) -> String {
        String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }, as: UTF8.self)
    }
}
