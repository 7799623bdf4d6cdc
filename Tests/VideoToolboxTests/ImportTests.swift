import CoreMedia
import Testing

/// What a file sees that imports one of the frameworks alone.
struct ImportTests {
    @Test func foundationComesWithTheFrameworks() async throws {
        let sets = [Data([0x67, 0x42, 0x00, 0x1e, 0xda, 0x05, 0x07, 0xe4]), Data([0x68, 0xce, 0x38, 0x80])]
        let description = try CMFormatDescription(h264ParameterSets: sets)
        let size = await Task.detached { description.presentationDimensions() }.value
        #expect(size == CGSize(width: 320, height: 240))
    }
}
