/// Rate control as an encoder gets it: the settings after ``RateControl`` has worked out the arithmetic.
struct RatePlan: Hashable, Sendable {
    enum Aim: Hashable, Sendable {
        /// Hold this many 1000 bits a second.
        case kilobitsPerSecond(Int)
        /// Hold this quality, as x264's rate factor.
        case rateFactor(Double)
    }

    /// A leaky bucket: what flows in at most, and how much it holds, both in 1000 bits.
    struct Bucket: Hashable, Sendable {
        var kilobitsPerSecond: Int
        var kilobits: Int
    }

    var aim: Aim
    /// nil: as loose as the level allows. x264 takes changes only when it was opened with some bucket.
    var bucket: Bucket?
    /// 0: no limit.
    var maxSliceBytes = 0

    /// The lower of both rates and buckets.
    mutating func tighten(to other: RatePlan) {
        if let theirs = other.bucket {
            bucket = Bucket(
                kilobitsPerSecond: min(bucket?.kilobitsPerSecond ?? .max, theirs.kilobitsPerSecond),
                kilobits: min(bucket?.kilobits ?? .max, theirs.kilobits))
        }
        if case .kilobitsPerSecond(let ours) = aim, case .kilobitsPerSecond(let theirs) = other.aim {
            aim = .kilobitsPerSecond(min(ours, theirs))
        }
    }
}

extension RatePlan {
    /// Bytes that a slice may grow by when its header gets a wider `frame_num`: a byte, and emulation prevention bytes in
    /// the header and where the slice data begin.
    static let sliceGrowth = 5

    /// Lowers the limit for the encoder, so that rewritten slices keep the client's.
    mutating func leaveRoomInSlices() {
        if maxSliceBytes > 0 { maxSliceBytes -= Self.sliceGrowth }
    }
}
