import CoreMedia
import Testing

/// The names that a file can use if it imports only one of the frameworks.
struct ImportTests {
    @Test func foundationComesWithTheFrameworks() async throws {
        let sets = [Data([0x67, 0x42, 0x00, 0x1e, 0xda, 0x05, 0x07, 0xe4]), Data([0x68, 0xce, 0x38, 0x80])]
        let description = try CMFormatDescription(h264ParameterSets: sets)
        let size = await Task.detached { description.presentationDimensions() }.value
        #expect(size == CGSize(width: 320, height: 240))
    }

    @Test func subtypesOfAudioHaveTheNumbersOfAMac() {
        let subtypes: [(CMFormatDescription.MediaSubType, String)] = [
            (.aacLCProtected, "paac"), (.aacAudibleProtected, "aaac"), (.mpeg4AAC, "aac "), (.mpeg4AAC_HE, "aach"),
            (.mpeg4AAC_HE_V2, "aacp"), (.linearPCM, "lpcm"), (.opus, "opus"), (.mpegLayer3, ".mp3"),
        ]
        for (subtype, text) in subtypes {
            #expect(subtype.rawValue == text.utf8.reduce(0) { $0 << 8 | FourCharCode($1) })
        }
    }
}
