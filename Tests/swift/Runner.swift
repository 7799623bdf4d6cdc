// Runs the tests of the module that contains this file, as `swift test` does.
import Testing

@main
struct Runner {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
