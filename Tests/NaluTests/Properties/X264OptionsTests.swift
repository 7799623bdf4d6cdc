import Testing

@testable import Nalu

/// The value of x264.params, which is checked when it is set.
@Suite struct X264OptionsTests {
    private static func status(_ text: String) -> Status {
        TestBytes.status { () throws(NaluError) in _ = try X264Options(text) }
    }

    @Test func namesAndValuesAreKeptInOrder() throws {
        let options = try X264Options("qpmin=10:qpmax=51:no-cabac::ref=4")
        #expect(options.text == "qpmin=10:qpmax=51:no-cabac::ref=4")
        #expect(options.options.map { $0.name } == ["qpmin", "qpmax", "cabac", "ref"])
        #expect(options.options.map { $0.value } == ["10", "51", nil, "4"])
        #expect(options.contains("cabac") && !options.contains("crf"))
        #expect(try X264Options("").options.isEmpty && X264Options(":::").options.isEmpty)
        #expect(X264Options() == (try X264Options("")))
    }

    /// Every spelling that x264 accepts is rejected, with either value.
    @Test(arguments: [
        "annexb", "repeat-headers", "stats", "pass", "cqmfile", "dump-yuv", "opencl", "opencl-clbin", "opencl-device",
        "open-gop", "intra-refresh", "log", "avcintra-class", "avcintra-flavor", "tff", "bff", "fake-interlaced",
        "pic-struct", "crop-rect", "fullrange", "global-header", "frames",
    ])
    func whatBelongsToTheSessionIsRefused(name: String) {
        let underscored = String(name.map { $0 == "-" ? "_" : $0 })
        for spelling in [name, underscored, "no-" + name, "no" + name, "no_" + name, "no" + underscored] {
            for value in ["", "=0", "=1", "=false", "=true", "=2", "==1", "=x"] {
                #expect(Self.status(spelling + value) == .outOfRange, "\(spelling + value)")
                #expect(Self.status("ref=2:\(spelling + value):ref=3") == .outOfRange)
            }
        }
    }

    /// C strings end at the first NUL, so the text before a NUL must not be accepted as a name.
    @Test(arguments: ["annexb\0x=1", "annexb\0=1", "ref=2\0", "no\0annexb=0", "\0", "ref\0=2", "stats\0x=file"])
    func aNULCharacterIsRefused(text: String) {
        #expect(Self.status(text) == .outOfRange)
    }
}
