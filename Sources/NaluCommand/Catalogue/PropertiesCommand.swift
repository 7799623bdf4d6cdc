internal import ArgumentParser
private import Nalu

/// The subcommand `nalu properties`.
struct PropertiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "properties",
        abstract: "List the properties of a session, or describe one of them.",
        discussion: """
            nalu encode and nalu transcode set properties with -p KEY=VALUE, unless they are read-only.

            Examples:
              nalu properties
              nalu properties MaxKeyFrameInterval
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @Argument(help: "The property to describe; by default all are listed.", completion: .list(PropertyNames.all))
    var key: String?

    func run() throws {
        guard let key else {
            Console.print(
                json ? JSONValue.array(PropertyCatalog.all.map(PropertyFacts.json)).text : PropertyFacts.table)
            return
        }
        let info = try PropertyNames.resolve(key)
        Console.print(json ? PropertyFacts.json(info).text : PropertyFacts.paragraph(info))
    }
}
