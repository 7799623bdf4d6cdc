// The tests of the module that this is compiled into, as `swift test` runs them.
import Testing

@main
struct Runner {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
