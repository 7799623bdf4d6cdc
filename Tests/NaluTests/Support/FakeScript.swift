import Testing

@testable import Nalu

/// The behaviour of a ``FakeEncoder``. Calls are counted from 0 over all encoders of a session.
struct FakeScript: Sendable, CustomTestStringConvertible {
    /// The number of frames delayed before the first picture is output.
    var delay = 0
    /// The decode order within a group of frames: [2, 0, 1] is P B B.
    var group = [0]

    var failingOpens: Set<Int> = []
    var failingEncodes: Set<Int> = []
    var failingDrains: Set<Int> = []
    /// Frames that are accepted and never output.
    var keptTokens: Set<UInt64> = []
    /// Frames that the encoder itself drops.
    var droppedTokens: Set<UInt64> = []
    /// Frames that the encoder itself makes key frames.
    var sceneCuts: Set<UInt64> = []

    /// The duration of an encode call.
    var milliseconds = 0.0
    /// A gate at which encode calls wait.
    var gate: Gate?

    static let error = Status.encoderMalfunction

    /// The number of frames that can precede a frame in decode order and follow it in presentation order.
    var reorderDepth: Int {
        var depth = 0
        for (position, frame) in group.enumerated() {
            depth = max(depth, group[..<position].count { $0 > frame })
        }
        return depth
    }

    /// Returns the decode order of a group that a key frame or the end shortens.
    func order(of count: Int) -> [Int] {
        count == group.count ? group : group.count == 1 || count == 0 ? Array(0..<count) : [count - 1] + (0..<count - 1)
    }

    var testDescription: String {
        var words = ["delay \(delay)", "group \(group)"]
        if !failingOpens.isEmpty { words.append("open \(failingOpens.sorted()) fails") }
        if !failingEncodes.isEmpty { words.append("encode \(failingEncodes.sorted()) fails") }
        if !failingDrains.isEmpty { words.append("drain \(failingDrains.sorted()) fails") }
        if !keptTokens.isEmpty { words.append("keeps \(keptTokens.sorted())") }
        return words.joined(separator: ", ")
    }

    /// Scripts without delay, with delay, and with reorder depths of 1 and 2.
    static let shapes = [
        FakeScript(), FakeScript(delay: 3), FakeScript(delay: 4, group: [2, 0, 1]),
        FakeScript(delay: 6, group: [3, 1, 0, 2]),
    ]
}
