internal import Nalu
internal import NaluBase
internal import NaluBitstream

/// The SEI messages of pictures that are encoded again: registered user data (ITU-T T.35), such as closed captions, the
/// active format and HDR10+ metadata, and the arrangement of stereoscopic views and the orientation. An encoder does not
/// see them, so they are added to its samples.
struct PictureMessages {
    /// A picture whose messages apply to later pictures too, or an IDR picture, which ends all earlier messages.
    private struct Change {
        let time: MediaTime
        let isIDR: Bool
        let messages: [SEIMessage]
    }

    /// The messages of the encoded pictures, by presentation time.
    private var own: [MediaTime: [SEIMessage]] = [:]
    private var changes: [Change] = []

    private static let lasting: [SEIPayloadType] = [.framePacking, .displayOrientation]
    private static let types: [SEIPayloadType] = [.registeredUserData] + lasting

    /// Accepts an H.264 sample that is decoded for the pictures to encode.
    ///
    /// - Parameter isEncoded: whether the sample's picture is encoded again.
    mutating func add(_ sample: Sample, isEncoded: Bool) {
        var messages: [SEIMessage] = []
        var isIDR = false
        sample.forEachUnit { unit in
            guard unit.count > 0 else { return }
            isIDR = isIDR || unit[0] & 31 == 5
            guard unit[0] & 31 == 6 else { return }
            messages += unsafe unit.withUnsafeBytes { unsafe SEIMessage.messages(of: $0) }
                .filter { Self.types.contains($0.type) && $0.payload.count == $0.size }
        }
        let lasting = messages.filter(\.persists)
        if isIDR || !lasting.isEmpty {
            changes.append(Change(time: sample.presentationTime, isIDR: isIDR, messages: lasting))
        }
        if isEncoded && !messages.isEmpty { own[sample.presentationTime] = messages }
    }

    /// Returns an encoded sample with the messages of the picture that it replaces. A key frame also gets the messages
    /// of earlier pictures that apply to it, because it ends them.
    mutating func restored(to sample: Sample) throws(NaluError) -> Sample {
        var messages = own.removeValue(forKey: sample.presentationTime) ?? []
        if sample.isKeyFrame {
            for type in Self.lasting where !messages.contains(where: { $0.type == type }) {
                messages += active(type, at: sample.presentationTime)
            }
        }
        guard !messages.isEmpty else { return sample }
        let unit = Self.unit(messages)
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

    /// Returns the messages of earlier pictures that apply to a picture.
    private func active(_ type: SEIPayloadType, at time: MediaTime) -> [SEIMessage] {
        let earlier = changes.filter { change in
            change.time <= time && (change.isIDR || change.messages.contains { $0.type == type })
        }
        return earlier.max { $0.time < $1.time }?.messages.filter { $0.type == type } ?? []
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
