import Testing

@testable import ArgumentParser
@testable import NaluCommand

@Suite struct OptionDeclarationTests {
    /// swift-argument-parser checks the same at each start of a debug build, and otherwise never.
    @Test func namesAndOrderOfOptionsAreValidInAllSubcommands() throws {
        var commands: [any ParsableCommand.Type] = [RootCommand.self]
        var count = 0
        while let command = commands.popLast() {
            try command._validate(parent: nil)
            commands += command.configuration.subcommands
            count += 1
        }
        #expect(count > 10)
    }
}
