internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// The registered user data of pictures that are encoded again (ITU-T T.35): closed captions, the active format and
/// HDR10+ metadata. An encoder does not see them, so they are added to its samples.
struct PictureUserData {
    /// SEI NAL units, by the presentation times of their pictures.
    private var units: [MediaTime: [UInt8]] = [:]

    /// Keeps the user data of an H.264 sample.
    mutating func add(_ sample: Sample) {
        var messages: [SEIMessage] = []
        sample.forEachUnit { unit in
            guard unit.count > 0, unit[0] & 31 == 6 else { return }
            messages += unsafe unit.withUnsafeBytes { unsafe SEIMessage.messages(of: $0) }
                .filter { $0.type == .registeredUserData && $0.payload.count == $0.size }
        }
        guard !messages.isEmpty else { return }
        units[sample.presentationTime] = Self.unit(messages)
    }

    /// Returns an encoded sample with the user data of the picture that it replaces.
    mutating func restored(to sample: Sample) throws(NaluError) -> Sample {
        guard let unit = units.removeValue(forKey: sample.presentationTime) else { return sample }
        let lengthSize = sample.formatDescription.lengthSize
        var bytes: [UInt8] = []
        var isAdded = false
        func append(_ unit: Span<UInt8>) {
            for index in 0..<lengthSize {
                bytes.append(UInt8(truncatingIfNeeded: unit.count >> (8 * (lengthSize - 1 - index))))
            }
            bytes.append(copying: unit)
        }
        sample.forEachUnit { other in
            // SEI precedes the first slice (ITU-T H.264 7.4.1.2.3).
            if !isAdded, other.count > 0, (1...5).contains(other[0] & 31) {
                append(unit.span)
                isAdded = true
            }
            append(other)
        }
        return try Sample(
            copying: bytes, formatDescription: sample.formatDescription, presentationTime: sample.presentationTime,
            duration: sample.duration, decodeTime: sample.decodeTime, attachments: sample.attachments)
    }

    /// Returns an SEI NAL unit with these messages (ITU-T H.264 7.3.2.3).
    private static func unit(_ messages: [SEIMessage]) -> [UInt8] {
        var bytes: [UInt8] = [6]
        for message in messages {
            for number in [message.type.rawValue, message.size] {
                bytes += Array(repeating: 255, count: number / 255)
                bytes.append(UInt8(number % 255))
            }
            bytes += message.payload
        }
        bytes.append(0x80)
        return EmulationPrevention.inserting(into: bytes)
    }
}
