// Runs the tests that the program contains, as `swift test` does.
import Testing

@main
struct Runner {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
