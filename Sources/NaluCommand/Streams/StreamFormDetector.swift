private import Nalu

/// Tells the form of a stream by its first bytes.
enum StreamFormDetector {
    /// `bytes` are the first ones, all there are when `isWhole`. Throws a sentence where they are neither form, with
    /// the remedy for files that people are likely to try.
    static func detect(_ bytes: UnsafeRawBufferPointer, isWhole: Bool, name: String) throws(Failure) -> StreamForm {
        guard unsafe !bytes.isEmpty else { throw Failure("\(name) is empty, expected an H.264 stream") }
        if let container = unsafe container(bytes) {
            let remedy =
                container == "Y4M" ? "nalu encode FILE -o out.h264 encodes it" : "nalu demux FILE out.h264 takes it out"
            throw Failure("\(name) is a \(container) file, expected the H.264 stream alone; \(remedy)")
        }
        if unsafe isHEVC(bytes) {
            throw Failure("\(name) is an H.265 stream, expected H.264; ffprobe \(name) tells what it holds")
        }
        // A length of 256 to 511 looks like a start code, so the lengths are tried first: start codes read as lengths
        // lead nowhere.
        if unsafe holdsUnits(bytes, lengthSize: 4, isWhole: isWhole) { return .lengthPrefixed(4) }
        if unsafe beginsWithStartCode(bytes) { return .annexB }
        for size in [2, 1] where unsafe holdsUnits(bytes, lengthSize: size, isWhole: isWhole) {
            return .lengthPrefixed(size)
        }
        guard let base = bytes.baseAddress,
            unsafe StartCodeScanner.nextStartCode(base, from: 0, count: bytes.count) < bytes.count
        else {
            throw Failure(
                "\(name) is no H.264 stream: no start code and no sound lengths in the first \(bytes.count) bytes")
        }
        return .annexB
    }

    private static func beginsWithStartCode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe bytes.firstIndex(where: { $0 != 0 }) else { return false }
        return unsafe first >= 2 && bytes[first] == 1
    }

    /// Whether lengths lead from unit to unit up to the end, over headers that there are. Short lengths do so in many a
    /// text; there a sound SPS must be among the units.
    private static func holdsUnits(_ bytes: UnsafeRawBufferPointer, lengthSize: Int, isWhole: Bool) -> Bool {
        var offset = 0
        var count = 0
        var hasSequence = lengthSize == 4
        while offset < bytes.count {
            // A stream that was cut off is believed after a few sound units.
            guard bytes.count - offset > lengthSize else { return hasSequence && count >= (isWhole ? 3 : 1) }
            var length = 0
            for index in 0..<lengthSize { length = length << 8 | Int(unsafe bytes[offset + index]) }
            let header = NALUnitHeader(rawValue: unsafe bytes[offset + lengthSize])
            guard length > 0, !header.hasForbiddenBit, (1...21).contains(header.type.rawValue) else { return false }
            let isBeyond = length > bytes.count - offset - lengthSize
            // The last unit of a piece goes on behind it.
            if isBeyond { return hasSequence && (isWhole ? count >= 3 : length < 1 << 28) }
            if !hasSequence, header.type == .sequenceParameterSet {
                let unit = unsafe UnsafeRawBufferPointer(
                    rebasing: bytes[offset + lengthSize..<offset + lengthSize + length])
                hasSequence = unsafe (try? SequenceParameterSet(parsing: unit)) != nil
            }
            offset += lengthSize + length
            count += 1
        }
        return hasSequence && count > 0
    }

    /// Whether it begins with a start code and H.265's video parameter set, of layer 0.
    private static func isHEVC(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe bytes.prefix(16).firstIndex(of: 1), first >= 2 else { return false }
        return unsafe bytes.prefix(first).allSatisfy { $0 == 0 }
            && bytes.dropFirst(first + 1).starts(with: [0x40, 0x01])
    }

    /// What a file is by its beginning, where it is no stream.
    static func container(_ bytes: UnsafeRawBufferPointer) -> String? {
        func has(_ text: String, at offset: Int) -> Bool {
            unsafe bytes.count >= offset + text.utf8.count && bytes[offset...].starts(with: text.utf8)
        }
        if has("ftyp", at: 4) || has("moov", at: 4) || has("moof", at: 4) { return "MP4" }
        if unsafe bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "Matroska" }
        if has("FLV", at: 0) { return "FLV" }
        if has("RIFF", at: 0) { return "AVI" }
        if has("YUV4MPEG2", at: 0) { return "Y4M" }
        let isTransport = unsafe bytes.count > 376 && bytes[0] == 0x47 && bytes[188] == 0x47 && bytes[376] == 0x47
        return isTransport ? "MPEG-TS" : nil
    }
}
