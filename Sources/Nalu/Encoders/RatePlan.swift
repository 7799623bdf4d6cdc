/// The rate control settings of an encoder, which ``RateControl`` has computed.
struct RatePlan: Hashable, Sendable {
    enum Aim: Hashable, Sendable {
        /// Hold this rate, in 1000 bits per second.
        case kilobitsPerSecond(Int)
        /// Hold this quality, on the scale of the property Quality.
        case quality(Double)
        /// Encode P-frames at this QP. `planned`: the rate of later passes in 1000 bits per second, for the level.
        case qp(Double, planned: Int)
    }

    /// A VBV buffer: its highest input rate in 1000 bits per second, and its size in 1000 bits.
    struct VBVBuffer: Hashable, Sendable {
        var kilobitsPerSecond: Int
        var kilobits: Int
    }

    var aim: Aim
    /// The VBV buffer; nil for the loosest one that the level allows.
    var vbvBuffer: VBVBuffer?
    /// The limit of a slice in bytes; 0 for none.
    var maxSliceBytes = 0

    /// Lowers the rate and the VBV buffer to those of `other`, each if it is higher.
    mutating func tighten(to other: RatePlan) {
        if let theirs = other.vbvBuffer {
            vbvBuffer = VBVBuffer(
                kilobitsPerSecond: min(vbvBuffer?.kilobitsPerSecond ?? .max, theirs.kilobitsPerSecond),
                kilobits: min(vbvBuffer?.kilobits ?? .max, theirs.kilobits))
        }
        if case .kilobitsPerSecond(let ours) = aim, case .kilobitsPerSecond(let theirs) = other.aim {
            aim = .kilobitsPerSecond(min(ours, theirs))
        }
    }
}

extension RatePlan {
    /// Returns an encoder's number for a quality. `numbers` has those of the qualities 0, 0.25, 0.5, 0.75 and 1, between
    /// which it is linear.
    static func number(quality: Double, among numbers: [Double]) -> Double {
        let position = min(max(quality, 0), 1) * 4
        let index = min(Int(position), 3)
        return numbers[index] + (numbers[index + 1] - numbers[index]) * (position - Double(index))
    }

    /// Lowers the encoder's limit of slices, so that slices that grow keep the client's limit.
    mutating func leaveRoomInSlices(_ bytes: Int) {
        if maxSliceBytes > 0 { maxSliceBytes -= bytes }
    }
}
