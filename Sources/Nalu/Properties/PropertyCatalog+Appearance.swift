extension PropertyCatalog {
    /// The properties of colour, shape and scaling.
    static let appearance: [PropertyInfo] = [
        .code(
            .colorPrimaries, \.signal.primaries, .primaries, "ITU_R_709_2 from 720 lines on, else SMPTE_C",
            "The colour primaries, written to the VUI: a name, or a code of ITU-T H.273.",
            derived: { SignalSettings().primaries(height: $0.encodedHeight) }),
        .code(
            .transferFunction, \.signal.transfer, .transfers, "ITU_R_709_2",
            "The transfer function, written to the VUI: a name, or a code of ITU-T H.273.",
            derived: { _ in SignalSettings().transferOrDefault }),
        .code(
            .yCbCrMatrix, \.signal.matrix, .matrices, "ITU_R_709_2 from 720 lines on, else ITU_R_601_4",
            "The matrix between RGB and YCbCr: it converts RGB frames, and is written to the VUI. A name, or a code of "
                + "ITU-T H.273.",
            derived: { SignalSettings().matrix(height: $0.encodedHeight) }),
        .code(
            .chromaLocation, \.signal.chromaLocation, .chromaLocations, "Center for progressive RGB frames, else Left",
            "The location of the chroma samples among the luma samples, written to the VUI: a name, or 0 to 5.",
            derived: { $0.chromaLocation }),
        PropertyInfo(
            .pixelAspectRatio, .numbers, .untilOpen, 1...65535, [], "",
            "The shape of a pixel: horizontal and vertical spacing, whole numbers.",
            derived: { _ in .numbers([]) },
            get: { $0.pixelAspectRatio.map { .numbers([Double($0.horizontal), Double($0.vertical)]) } },
            set: { configuration, value, info throws(NaluError) in
                guard let numbers = value?.numbersValue, !numbers.isEmpty else {
                    configuration.pixelAspectRatio = nil
                    return
                }
                guard numbers.count == 2, let horizontal = Int(exactly: numbers[0]),
                    let vertical = Int(exactly: numbers[1])
                else {
                    throw info.outOfRange(value?.text ?? "", "two whole numbers, 1 to 65535 each")
                }
                configuration.pixelAspectRatio = .init(horizontal: horizontal, vertical: vertical)
            }),
        .bool(
            .allowScaling, .live, \.allowScaling, default: true,
            "Whether frames of another size than the session's are scaled. False: they are refused."),
        PropertyInfo(
            .pixelTransferProperties, .string, .live, nil, [], "",
            "How frames of another size are fitted into the picture: \"ScalingMode=Normal\" (the default, stretched), "
                + "CropSourceToCleanAperture, Letterbox or Trim; and \"DownsamplingMode=Average\".",
            derived: { _ in .string("") },
            get: { configuration in
                let text = configuration.live.transfer.text
                return text.isEmpty ? nil : .string(text)
            },
            set: { configuration, value, _ throws(NaluError) in
                configuration.live.transfer = try PixelTransferSettings(value?.stringValue ?? "")
            }),
        PropertyInfo(
            .outputBitDepth, .integer, .untilOpen, 8...10, [],
            "10 for 'x420' and 'xf20' without ProfileLevel and for Main 10, else 8",
            "The bit depth of the stream, 8 or 10 bits per sample. 10 bits need the profile High 10, or Main 10 of "
                + "H.265.",
            derived: { .integer(Int64($0.bitDepth)) },
            get: { $0.outputBitDepth.map { .integer(Int64($0)) } },
            set: { configuration, value, info throws(NaluError) in
                let bits = value?.integerValue.map { Int($0) }
                guard bits != 9 else { throw info.outOfRange("9", "8 or 10") }
                configuration.outputBitDepth = bits
            }),
    ]
}
