/// Changes to what an SPS describes: its level, the place of its chroma samples, and the displayed part of its pictures.
extension SequenceParameterSetEditor {
    /// Returns the SPS NAL unit with another `level_idc`, and with the location of its chroma samples, 0 to 5, if it has a VUI
    /// that states none. Location 0 is what decoders assume, and is not written.
    ///
    /// Throws `.badData` and `.unsupportedDataFormat` as ``SequenceParameterSet`` does.
    package static func edit(
        _ unit: [UInt8], levelIDC: Int, chromaLocation: Int
    ) throws(NaluError) -> [UInt8] {
        unsafe try unit.withBytes { (bytes) throws(NaluError) in
            let parser = unsafe try SequenceParameterSetParser(parsing: bytes)
            var source = parser.reader.bytes
            source[3] = UInt8(clamping: levelIDC)
            let end = parser.reader.end
            var writer = BitWriter()
            // chroma_loc_info_present_flag is the last bit before the timing information.
            if chromaLocation != 0, parser.result.chromaLocation == nil, let timing = parser.timingRange {
                writer.append(source, bits: 0..<timing.lowerBound - 1)
                writer.append(true)
                for _ in 0..<2 { writer.append(unsigned: UInt32(chromaLocation)) }
                writer.append(source, bits: timing.lowerBound..<end)
            } else {
                writer.append(source, bits: 0..<end)
            }
            return unsafe try finished(writer, from: parser.reader, unlessUnchanged: bytes)
        }
    }

    /// Returns the SPS NAL unit of a progressive stream in 4:2:0 with its pictures cropped further at each side, by even
    /// numbers of pixels. Throws as ``SequenceParameterSet`` does.
    package static func crop(
        _ unit: [UInt8], left: Int, right: Int, top: Int, bottom: Int
    ) throws(NaluError) -> [UInt8] {
        unsafe try unit.withBytes { (bytes) throws(NaluError) in
            let parser = unsafe try SequenceParameterSetParser(parsing: bytes)
            let sps = parser.result
            let (before, after) = (
                sps.codedWidth - sps.width - sps.cropLeft, sps.codedHeight - sps.height - sps.cropTop
            )
            let sides = [sps.cropLeft + left, before + right, sps.cropTop + top, after + bottom]
            let writer = cropped(parser, sides.map { UInt32(clamping: $0 / 2) })
            return unsafe try finished(writer, from: parser.reader, unlessUnchanged: bytes)
        }
    }
}
