extension PropertyCatalog {
    /// The properties of the stream's pictures, except their colour.
    static let picture: [PropertyInfo] = [
        PropertyInfo(
            .cleanAperture, .numbers, .untilOpen, -16384...16384, [], "",
            "The region of the picture that players show: width, height, and the offset of its centre to the right "
                + "and down, in pixels. The stream crops the rest.",
            derived: { _ in .numbers([]) },
            get: { $0.picture.cleanAperture.map { .numbers($0.numbers) } },
            set: { configuration, value, info throws(NaluError) in
                guard let numbers = value?.numbersValue, !numbers.isEmpty else {
                    configuration.picture.cleanAperture = nil
                    return
                }
                guard numbers.count == 4, numbers[0] >= 2, numbers[1] >= 2 else {
                    throw info.outOfRange(
                        value?.text ?? "", "width and height, 2 or more, and the horizontal and vertical offset")
                }
                configuration.picture.cleanAperture = CleanAperture(numbers)
            }),
        PropertyInfo(
            .masteringDisplayColorVolume, .numbers, .untilOpen, 0...4_294_967_295, [], "",
            "The display on which the video was mastered (ITU-T H.264 D.2.29): x and y of green, blue, red and white "
                + "in 0.00002; highest and lowest luminance in 0.0001 cd/m2.",
            derived: { _ in .numbers([]) },
            get: { $0.picture.masteringDisplay.map { .numbers($0.numbers) } },
            set: { configuration, value, info throws(NaluError) in
                let numbers = value?.numbersValue ?? []
                configuration.picture.masteringDisplay = MasteringDisplay(numbers)
                guard numbers.isEmpty || configuration.picture.masteringDisplay != nil else {
                    throw info.outOfRange(
                        value?.text ?? "",
                        "ten whole numbers: eight of 0 to 50000, a highest luminance up to 4294967295, and a lowest "
                            + "one below it")
                }
            }),
        PropertyInfo(
            .contentLightLevelInfo, .numbers, .untilOpen, 0...65535, [], "",
            "The luminance of the brightest pixel and the average luminance of the brightest frame, in cd/m2 (ITU-T "
                + "H.264 D.2.31).",
            derived: { _ in .numbers([]) },
            get: { $0.picture.contentLight.map { .numbers($0.numbers) } },
            set: { configuration, value, info throws(NaluError) in
                let numbers = value?.numbersValue ?? []
                configuration.picture.contentLight = ContentLightLevel(numbers)
                guard numbers.isEmpty || configuration.picture.contentLight != nil else {
                    throw info.outOfRange(value?.text ?? "", "two whole numbers, 0 to 65535 each")
                }
            }),
        .choice(
            .hdrMetadataInsertionMode, \.picture.hdrMetadataInsertion, HDRMetadataInsertionMode.allCases, "Auto",
            "Whether MasteringDisplayColorVolume and ContentLightLevelInfo are written to the stream: Auto or None.",
            derived: { _ in .string(HDRMetadataInsertionMode.automatic.rawValue) }),
        .optionalInteger(
            .fieldCount, .untilOpen, 1...2, \.picture.fieldCount,
            "The number of fields per frame. 1: progressive. 2: interlaced. Unset: 1, or 2 if FieldDetail is set.",
            derived: { .integer($0.configuration.isInterlaced ? 2 : 1) }),
        .choice(
            .fieldDetail, \.picture.fieldDetail, FieldDetail.allCases, "TemporalTopFirst if FieldCount is 2",
            "The earlier field of an interlaced frame.",
            derived: { $0.configuration.isInterlaced ? .string(FieldDetail.temporalTopFirst.rawValue) : nil }),
    ]
}
