internal import ArgumentParser
private import Nalu

/// `nalu properties`.
struct PropertiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "properties",
        abstract: "List the properties of a session, or tell everything about one.",
        discussion: """
            What is not read-only can be given to nalu encode and nalu transcode: -p KEY=VALUE.

            Examples:
              nalu properties
              nalu properties MaxKeyFrameInterval
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @Argument(help: "The property; all of them by default.", completion: .list(PropertyNames.all))
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
