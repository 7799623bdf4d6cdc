/// Computes the output order of pictures (ITU-T H.264 8.2.1).
///
/// The counts start at the last IDR picture, or at the last picture that resets references. Arithmetic wraps around:
/// only streams that break the standard overflow, and their counts mean nothing.
public struct PictureOrderCounter: Sendable {
    private var previousMSB = 0
    private var previousLSB = 0
    private var previousFrameNumber = 0
    private var frameNumberOffset = 0
    private var previousResetReferences = false

    /// Creates a counter for the beginning of a stream.
    public init() {}

    /// Returns the picture order count of the next picture in decoding order, given its first slice. The count of a
    /// frame is the smaller count of its fields.
    public mutating func count(of slice: SliceHeader, in sequence: SequenceParameterSet) -> Int {
        var (top, bottom) = (0, 0)
        switch sequence.picOrderCountType {
        case 0: (top, bottom) = countByLSB(slice, sequence)
        case 1: (top, bottom) = countByCycle(slice, sequence)
        default: (top, bottom) = countByFrameNumber(slice, sequence)
        }
        previousFrameNumber = slice.frameNumber
        previousResetReferences = slice.resetsReferences
        if slice.resetsReferences {
            let first = slice.isField ? (slice.isBottomField ? bottom : top) : min(top, bottom)
            top = top &- first
            previousMSB = 0
            previousLSB = slice.isBottomField ? 0 : top
            previousFrameNumber = 0
            return 0
        }
        return slice.isField ? (slice.isBottomField ? bottom : top) : min(top, bottom)
    }

    private mutating func countByLSB(
        _ slice: SliceHeader, _ sequence: SequenceParameterSet
    ) -> (top: Int, bottom: Int) {
        if slice.isIDR { (previousMSB, previousLSB) = (0, 0) }
        let range = 1 << sequence.picOrderCountBits
        let lsb = slice.picOrderCountLSB
        var msb = previousMSB
        if lsb < previousLSB, previousLSB &- lsb >= range / 2 {
            msb = msb &+ range
        } else if lsb > previousLSB, lsb &- previousLSB > range / 2 {
            msb = msb &- range
        }
        if slice.unitHeader.isReference { (previousMSB, previousLSB) = (msb, lsb) }
        return (msb &+ lsb, msb &+ lsb &+ (slice.isField ? 0 : slice.picOrderCountDeltaBottom))
    }

    /// Updates `FrameNumOffset` (8.2.1.2).
    private mutating func countFrames(_ slice: SliceHeader, _ sequence: SequenceParameterSet) {
        if slice.isIDR {
            frameNumberOffset = 0
            return
        }
        if previousResetReferences { frameNumberOffset = 0 }
        if previousFrameNumber > slice.frameNumber {
            frameNumberOffset = frameNumberOffset &+ (1 << sequence.frameNumberBits)
        }
    }

    private mutating func countByFrameNumber(
        _ slice: SliceHeader, _ sequence: SequenceParameterSet
    ) -> (top: Int, bottom: Int) {
        countFrames(slice, sequence)
        guard !slice.isIDR else { return (0, 0) }
        let count = 2 &* (frameNumberOffset &+ slice.frameNumber) &- (slice.unitHeader.isReference ? 0 : 1)
        return (count, count)
    }

    private mutating func countByCycle(
        _ slice: SliceHeader, _ sequence: SequenceParameterSet
    ) -> (top: Int, bottom: Int) {
        countFrames(slice, sequence)
        guard let cycle = sequence.picOrderCycle else { return (0, 0) }
        let length = cycle.referenceOffsets.count
        var frame = length == 0 ? 0 : frameNumberOffset &+ slice.frameNumber
        if !slice.unitHeader.isReference, frame > 0 { frame = frame &- 1 }
        var expected = 0
        if frame > 0 {
            let (cycles, rest) = (frame &- 1).quotientAndRemainder(dividingBy: length)
            expected = cycle.referenceOffsets.reduce(0, &+) &* cycles
            expected = cycle.referenceOffsets[...rest].reduce(expected, &+)
        }
        if !slice.unitHeader.isReference { expected = expected &+ cycle.nonReferenceOffset }
        let top = expected &+ slice.picOrderCountDelta0
        guard !slice.isField else { return (top, top &+ cycle.topToBottomOffset) }
        return (top, top &+ cycle.topToBottomOffset &+ slice.picOrderCountDelta1)
    }
}
