/// Gives an IDR picture another `idr_pic_id` (ITU-T H.264 7.4.3): two IDR pictures that follow each other must differ in
/// it, which an encoder cannot see to where its stream follows that of another one.
package enum IDRPictureID {
    /// Numbers whose code is 8 bits longer than that of 0, so that what follows keeps its place in the bytes: CABAC
    /// data and PCM samples are aligned to them.
    package static let short = 15...30
    /// The same for 24 bits.
    package static let long = 4095...8190

    /// The picture `data`, NAL units with 4-byte length prefixes, with `id` instead of 0; nil where it cannot be read,
    /// or has another number than 0. `id` is in `short` or `long`.
    package static func replacingZero(
        in data: UnsafeRawBufferPointer, with id: Int, sequence: SequenceParameterSet
    ) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(data.count + 64)
        var offset = 0
        while let unit = unsafe (try? LengthPrefixed.next(in: data, lengthSize: 4, offset: &offset)) ?? nil {
            var bytes = unsafe [UInt8](unit)
            if unsafe NALUnitHeader(of: unit)?.type == .sliceIDR {
                guard let edited = unsafe slice(unit, with: id, sequence) else { return nil }
                bytes = edited
            }
            let length = UInt32(truncatingIfNeeded: bytes.count)
            output += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length &>> UInt32($0)) }
            output += bytes
        }
        return offset == data.count ? output : nil
    }

    private static func slice(
        _ unit: UnsafeRawBufferPointer, with id: Int, _ sequence: SequenceParameterSet
    ) -> [UInt8]? {
        let bytes = unsafe EmulationPrevention.removing(from: unit)
        guard let position = position(in: bytes, sequence), position < bytes.count * 8,
            bytes[position >> 3] &<< UInt8(position & 7) & 0x80 != 0
        else { return nil }
        var writer = BitWriter()
        writer.append(bytes, bits: 0..<position)
        writer.append(unsigned: UInt32(id))
        writer.append(bytes, bits: position + 1..<bytes.count * 8)
        return EmulationPrevention.inserting(into: writer.bytes)
    }

    /// The bit of `idr_pic_id` in a slice header (7.3.3) with its NAL unit header.
    private static func position(in bytes: [UInt8], _ sequence: SequenceParameterSet) -> Int? {
        var position = 8
        // first_mb_in_slice, slice_type, pic_parameter_set_id
        for _ in 0..<3 {
            guard let next = endOfNumber(in: bytes, from: position) else { return nil }
            position = next
        }
        if sequence.separateColourPlanes { position += 2 }
        position += sequence.frameNumberBits
        if !sequence.frameMbsOnly {
            guard position < bytes.count * 8 else { return nil }
            let isField = bytes[position >> 3] &<< UInt8(position & 7) & 0x80 != 0
            position += isField ? 2 : 1
        }
        return position
    }

    private static func endOfNumber(in bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while position < bytes.count * 8, bytes[position >> 3] &<< UInt8(position & 7) & 0x80 == 0 {
            position += 1
        }
        let zeros = position - start
        return zeros < 32 && position < bytes.count * 8 ? position + zeros + 1 : nil
    }
}
