/// One message of supplemental enhancement information (ITU-T H.264 7.3.2.3.1).
public struct SEIMessage: Hashable, Sendable {
    /// `payloadType` (Annex D).
    public let type: SEIPayloadType
    /// `payloadSize`, in bytes.
    public let size: Int
    /// The payload without emulation prevention; fewer bytes than ``size`` where the unit was cut off.
    public let payload: [UInt8]

    /// Reads the messages of one SEI NAL unit: its header byte first, no start code, emulation prevention bytes in
    /// place. `unit` may be its first bytes only: the last message is then shorter than its size.
    ///
    /// What cannot be read ends the list.
    public static func messages(of unit: UnsafeRawBufferPointer) -> [SEIMessage] {
        guard let header = unsafe NALUnitHeader(of: unit), header.type == .supplementalEnhancementInformation else {
            return []
        }
        return messages(in: unsafe EmulationPrevention.removing(from: unit), from: 1)
    }

    /// The same for a prefix or suffix SEI NAL unit of H.265 (ITU-T H.265 7.3.2.4); the types are those of its Annex D, of
    /// which those below 32, and many others, mean the same in H.264.
    public static func hevcMessages(of unit: [UInt8]) -> [SEIMessage] {
        guard let type = HEVCUnitHeader(of: unit)?.type, type == .prefixSEI || type == .suffixSEI else { return [] }
        return messages(in: unsafe unit.withBytes { unsafe EmulationPrevention.removing(from: $0) }, from: 2)
    }

    private static func messages(in bytes: [UInt8], from start: Int) -> [SEIMessage] {
        var messages: [SEIMessage] = []
        var position = start
        // The last byte of a sound unit holds the stop bit alone; a message takes two bytes at least.
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

    /// A number as the sum of bytes up to the first that is not 255. At most a unit's length times 255.
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
