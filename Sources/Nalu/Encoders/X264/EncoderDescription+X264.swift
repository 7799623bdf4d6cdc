private import CX264

extension EncoderDescription {
    static let x264 = EncoderDescription(
        id: "org.videolan.x264", name: "x264 core \(X264_BUILD)",
        traits: EncoderTraits(
            codec: .h264,
            // x264 reads 10-bit samples in the low bits of 16-bit words. Clients' formats have them in the high bits.
            input: EncoderInput(formats: [
                .nv12, .nv12FullRange, .i420, .i420FullRange, .encoder10, .encoder10FullRange,
            ]),
            options: X264Configuration(), properties: PropertyCatalog.x264, hasPasses: true, presetKey: .x264Preset,
            // RealTime chooses its own preset.
            presets: [.highQuality: "slower", .balanced: "medium", .highSpeed: "veryfast"]),
        open: { setup throws(NaluError) in try X264Encoder(setup) })
}
