/// The shape and colour of the pictures that a container states, for parameter sets that leave them unspecified.
///
/// Decoders and players use the values of the container if the video usability information (VUI) has none.
package struct ContainerSignal: Hashable, Sendable {
    /// The pixel aspect ratio; 0 if unspecified.
    package var aspectHorizontal = 0
    package var aspectVertical = 0
    /// Whether samples use the full range. The video range is what decoders assume, so it counts as unspecified.
    package var isFullRange = false
    /// The numbers of ITU-T H.273; 2 if unspecified.
    package var colorPrimaries = 2
    package var transferCharacteristics = 2
    package var matrixCoefficients = 2
    /// The location of 4:2:0 chroma, 0 to 5. Location 0 is what decoders assume, so it counts as unspecified.
    package var chromaLocation = 0

    package init() {}

    /// Returns an SPS NAL unit whose VUI states what this container states and the SPS leaves unspecified. The colour
    /// numbers, the range and the chroma location of the SPS take precedence. The pixel aspect ratio of the container
    /// takes precedence, as in players, unless it is square, or equals that of the SPS within 1 % or a pixel: Matroska
    /// rounds the size to whole pixels. Every other bit is unchanged. Other NAL units, and those that cannot be read,
    /// are returned as they are.
    package func completing(_ unit: [UInt8], codec: VideoCodec) -> [UInt8] {
        guard self != ContainerSignal(), let first = unit.first else { return unit }
        return unsafe unit.withUnsafeBytes { (bytes) -> [UInt8]? in
            switch codec {
            case .h264:
                guard NALUnitHeader(rawValue: first).type == .sequenceParameterSet,
                    let parser = unsafe try? SequenceParameterSetParser(parsing: bytes)
                else { return nil }
                // chroma_loc_info_present_flag is written before; timing, HRD (2), pic_struct and restriction follow.
                return unsafe try? complete(
                    bytes, parser.reader, parser.result, flag: parser.usabilityFlagPosition, absent: 5)
            case .hevc:
                guard HEVCUnitType(rawValue: first >> 1 & 63) == .sequenceParameterSet,
                    let parser = unsafe try? HEVCSequenceParameterSetParser(parsing: bytes)
                else { return nil }
                // Neutral chroma, fields (2), display window, timing and restriction follow.
                return unsafe try? complete(
                    bytes, parser.reader, parser.result, flag: parser.usabilityFlagPosition, absent: 6)
            }
        } ?? unit
    }

    /// - Parameters:
    ///   - flag: the bit position of `vui_parameters_present_flag`.
    ///   - absent: the number of flags after the chroma location in a VUI that has nothing else.
    private func complete(
        _ unit: UnsafeRawBufferPointer, _ source: BitReader, _ sequence: some SequenceFields, flag: Int, absent: Int
    ) throws(NaluError) -> [UInt8] {
        let changes = Changes(self, sequence)
        guard changes.isNeeded else { return unsafe [UInt8](unit) }
        var reader = source.at(flag)
        let hasUsability = try reader.flag("vui_parameters_present_flag")
        var writer = BitWriter()
        writer.append(source.bytes, bits: 0..<flag)
        writer.append(true)

        var start = reader.position
        if hasUsability, try reader.flag("aspect_ratio_info_present_flag"),
            try reader.bits(8, "aspect_ratio_idc") == 255
        {
            try reader.skip(32, "sar_width")
        }
        if let (horizontal, vertical) = changes.aspect {
            writer.append(0x1FF, width: 9)
            writer.append(UInt32(horizontal), width: 16)
            writer.append(UInt32(vertical), width: 16)
        } else if hasUsability {
            writer.append(source.bytes, bits: start..<reader.position)
        } else {
            writer.append(false)
        }

        start = reader.position
        if hasUsability, try reader.flag("overscan_info_present_flag") {
            try reader.skip(1, "overscan_appropriate_flag")
        }
        if hasUsability {
            writer.append(source.bytes, bits: start..<reader.position)
        } else {
            writer.append(false)
        }

        // Format 5 of the video signal is "unspecified".
        var (hasSignal, format, isFull) = (false, UInt32(5), false)
        var colors: [UInt32]?
        if hasUsability, try reader.flag("video_signal_type_present_flag") {
            hasSignal = true
            format = try reader.bits(3, "video_format")
            isFull = try reader.flag("video_full_range_flag")
            if try reader.flag("colour_description_present_flag") {
                colors = []
                for _ in 0..<3 { colors?.append(try reader.bits(8, "colour_primaries")) }
            }
        }
        if !hasSignal { isFull = isFullRange }
        colors = changes.colors?.map { UInt32(clamping: $0) } ?? colors
        writer.append(hasSignal || isFull || colors != nil)
        if hasSignal || isFull || colors != nil {
            writer.append(format, width: 3)
            writer.append(isFull)
            writer.append(colors != nil)
            for color in colors ?? [] { writer.append(color, width: 8) }
        }

        if let location = changes.chromaLocation {
            if hasUsability { try reader.skip(1, "chroma_loc_info_present_flag") }
            writer.append(true)
            for _ in 0..<2 { writer.append(unsigned: UInt32(clamping: location)) }
        } else if !hasUsability {
            writer.append(false)
        }
        if !hasUsability { writer.append(0, width: absent) }
        writer.append(source.bytes, bits: reader.position..<source.end)
        return unsafe try SequenceParameterSetEditor.finished(writer, from: source, unlessUnchanged: unit)
    }

    /// The values that an SPS gets; nil for those that stay.
    private struct Changes {
        var aspect: (horizontal: UInt16, vertical: UInt16)?
        var colors: [Int]?
        var chromaLocation: Int?
        /// Whether the range may have to be stated. Only the VUI itself shows whether it is stated already.
        var mayStateRange: Bool

        var isNeeded: Bool { aspect != nil || colors != nil || chromaLocation != nil || mayStateRange }

        init(_ container: ContainerSignal, _ sequence: some SequenceFields) {
            if let horizontal = UInt16(exactly: container.aspectHorizontal), horizontal > 0,
                let vertical = UInt16(exactly: container.aspectVertical), vertical > 0, horizontal != vertical
            {
                let other = Double(sequence.pixelAspectRatioHorizontal) / Double(sequence.pixelAspectRatioVertical)
                let difference = abs(other * Double(vertical) / Double(horizontal) - 1)
                // An SPS without a ratio makes the difference NaN, which is not at most anything.
                if !(difference <= max(0.01, 1 / Double(max(1, sequence.width)))) { aspect = (horizontal, vertical) }
            }
            let stated = [sequence.colorPrimaries, sequence.transferCharacteristics, sequence.matrixCoefficients]
            let own = [container.colorPrimaries, container.transferCharacteristics, container.matrixCoefficients]
            // 0 is reserved, or RGB, which is no matrix of a video in 4:2:0.
            let filled = zip(stated, own).map { $0 == 2 && (1...255).contains($1) ? $1 : $0 }
            if filled != stated { colors = filled }
            if container.chromaLocation > 0, sequence.chromaLocation == nil, sequence.chromaFormatIDC == 1 {
                chromaLocation = container.chromaLocation
            }
            mayStateRange = container.isFullRange && !sequence.isFullRange
        }
    }
}
