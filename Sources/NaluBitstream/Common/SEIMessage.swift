/// One message of supplemental enhancement information (ITU-T H.264 7.3.2.3.1).
public struct SEIMessage: Hashable, Sendable {
    /// `payloadType` (Annex D).
    public let type: SEIPayloadType
    /// `payloadSize`, in bytes.
    public let size: Int
    /// The payload without emulation prevention. It is shorter than ``size`` if the NAL unit was cut off.
    public let payload: [UInt8]

    /// Reads the messages of one SEI NAL unit with its header byte and emulation prevention bytes, without start code.
    /// The first bytes of the NAL unit suffice: the last message is then shorter than its size.
    ///
    /// The list ends before the first message that cannot be read.
    public static func messages(of unit: UnsafeRawBufferPointer) -> [SEIMessage] {
        guard let header = unsafe NALUnitHeader(of: unit), header.type == .supplementalEnhancementInformation else {
            return []
        }
        return messages(in: unsafe EmulationPrevention.removing(from: unit), from: 1)
    }

    /// Reads the messages of a prefix or suffix SEI NAL unit of H.265 (ITU-T H.265 7.3.2.4). The types are those of
    /// H.265's Annex D. Types below 32, and many others, mean the same in H.264.
    public static func hevcMessages(of unit: [UInt8]) -> [SEIMessage] {
        guard let type = HEVCUnitHeader(of: unit)?.type, type == .prefixSEI || type == .suffixSEI else { return [] }
        return messages(in: unsafe unit.withBytes { unsafe EmulationPrevention.removing(from: $0) }, from: 2)
    }

    private static func messages(in bytes: [UInt8], from start: Int) -> [SEIMessage] {
        var messages: [SEIMessage] = []
        var position = start
        // The last byte of a valid NAL unit contains only the stop bit. A message takes at least two bytes.
        while bytes.count - position >= 2, bytes[position...] != [0x80, 0] {
            guard let type = number(in: bytes, at: &position), let size = number(in: bytes, at: &position) else {
                break
            }
            let end = min(bytes.count, position + size)
            messages.append(
                SEIMessage(type: SEIPayloadType(rawValue: type), size: size, payload: Array(bytes[position..<end])))
            position = end
        }
        return messages
    }

    /// Reads the messages of one SEI NAL unit, as ``messages(of:)-(UnsafeRawBufferPointer)`` does.
    public static func messages(of unit: [UInt8]) -> [SEIMessage] {
        unsafe unit.withBytes { unsafe messages(of: $0) }
    }

    /// Reads a number that is the sum of bytes up to the first that is not 255. The sum is at most 255 times the size
    /// of the NAL unit.
    private static func number(in bytes: [UInt8], at position: inout Int) -> Int? {
        var value = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            value += Int(byte)
            if byte != 255 { return value }
        }
        return nil
    }
}
