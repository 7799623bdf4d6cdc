/// The levels of H.264 (ITU-T H.264 table A-1).
struct H264Limits: CodecLimits {
    /// The side of a macroblock.
    let leastSide = 16
    let interlacedLevels: ClosedRange<Int>? = H264Level.interlacedLevels

    func kilobitsPerSecond(level: Int, _ profile: CodecProfile) -> Int? {
        H264Level.level(level)?.kilobitsPerSecond(profile)
    }

    func check(width: Int, height: Int) throws(NaluError) {
        let macroblocks = ((width + 15) / 16) * ((height + 15) / 16)
        guard macroblocks <= H264Level.maxMacroblocks else {
            throw NaluError(
                .invalidSize,
                "\(width)x\(height) has \(macroblocks) macroblocks; expected at most \(H264Level.maxMacroblocks), "
                    + "those of level 6.2")
        }
    }

    func check(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {
        try checkLevel(configuration, geometry)
        try checkFields(geometry)
    }

    /// Throws if a fixed level cannot hold the size or the references, so that setting such a level fails.
    private func checkLevel(_ configuration: SessionConfiguration, _ geometry: PictureGeometry) throws(NaluError) {
        guard let profileLevel = configuration.profileLevel, let idc = profileLevel.levelIDC,
            let level = H264Level.level(idc)
        else { return }
        let wide = (geometry.encodedWidth + 15) / 16
        let high = (geometry.encodedHeight + 15) / 16
        guard level.holds(macroblocksWide: wide, high: high) else {
            throw NaluError(
                .outOfRange,
                "ProfileLevel \"\(profileLevel.name)\": level \(level.name) allows \(level.maxMacroblocksPerFrame) "
                    + "macroblocks per frame, and \(geometry.width)x\(geometry.height) has \(wide * high); use an AutoLevel"
            )
        }
        let references = level.references(macroblocks: wide * high)
        guard configuration.referenceBufferCount <= references else {
            throw NaluError(
                .conflict,
                "ReferenceBufferCount is \(configuration.referenceBufferCount), and ProfileLevel "
                    + "\"\(profileLevel.name)\" allows \(references) frames of \(geometry.width)x\(geometry.height); use an AutoLevel"
            )
        }
    }

    /// Throws if the bit rate exceeds a fixed level. Opening an encoder with such a rate fails too.
    func checkRate(_ configuration: SessionConfiguration) throws(NaluError) {
        guard let profileLevel = configuration.profileLevel, let level = profileLevel.levelIDC.flatMap(H264Level.level)
        else { return }
        let most = level.kilobitsPerSecond(configuration.profile) * 1000
        guard configuration.live.rate.averageBitRate <= most else {
            throw NaluError(
                .conflict,
                "AverageBitRate \(configuration.live.rate.averageBitRate) is above the \(most) bits per second of the "
                    + "running encoder's ProfileLevel \"\(profileLevel.name)\"")
        }
    }

    /// Throws `.outOfRange` for a size that interlaced frames cannot have.
    private func checkFields(_ geometry: PictureGeometry) throws(NaluError) {
        guard geometry.isInterlaced else { return }
        guard geometry.height.isMultiple(of: 4) else {
            throw NaluError(
                .outOfRange,
                "frames have two fields and \(geometry.height) rows; expected a multiple of 4 with FieldCount 2")
        }
        guard let level = H264Level.level(H264Level.interlacedLevels.upperBound),
            level.holds(macroblocksWide: geometry.macroblocksWide, high: geometry.macroblocksHigh)
        else {
            throw NaluError(
                .outOfRange,
                "FieldCount is 2, and \(geometry.width)x\(geometry.height) has "
                    + "\(geometry.macroblocksWide * geometry.macroblocksHigh) macroblocks; expected at most 8192, the limit of "
                    + "levels for interlaced frames")
        }
    }
}
