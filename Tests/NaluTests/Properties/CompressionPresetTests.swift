import Testing

@testable import Nalu

@Suite struct CompressionPresetTests {
    /// The property's text, parsed as properties, contains each preset's name and text.
    @Test func thePropertyHasThemAll() throws {
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        let text = try #require(try session.property(.supportedPresetDictionaries).stringValue)
        let presets = try PropertyText.read([UInt8](text.utf8))
        #expect(presets.map { $0.key.rawValue } == CompressionPreset.allCases.map { $0.rawValue })
        #expect(presets.map { $0.value } == CompressionPreset.allCases.map { .string(PropertyText.write($0.settings)) })
    }

    @Test(arguments: CompressionPreset.allCases)
    func aPresetSetsTheSamePropertiesAsEveryOther(preset: CompressionPreset) throws {
        let keys = preset.settings.map { $0.key }
        #expect(keys == [.allowFrameReordering, .maxFrameDelayCount, .realTime, .x264Preset])
        let session = try CompressionSession(width: 64, height: 64, outputHandler: nil)
        try session.set(preset: preset)
        #expect(try session.property(.realTime) == .bool(preset == .videoConferencing))
    }
}
