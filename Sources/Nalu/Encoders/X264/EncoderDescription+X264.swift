private import CX264

extension EncoderDescription {
    static let x264 = EncoderDescription(
        id: "org.videolan.x264", name: "x264 core \(X264_BUILD)",
        traits: EncoderTraits(
            codec: .h264,
            // Words with 10 bits have them at the low end, where no format of clients has them.
            input: EncoderInput(formats: [
                .nv12, .nv12FullRange, .i420, .i420FullRange, .encoder10, .encoder10FullRange,
            ]),
            options: X264Configuration(), properties: PropertyCatalog.x264, hasPasses: true, presetKey: .x264Preset,
            // RealTime chooses its own preset.
            presets: [.highQuality: "slower", .balanced: "medium", .highSpeed: "veryfast"]),
        open: { setup throws(NaluError) in try X264Encoder(setup) })
}
