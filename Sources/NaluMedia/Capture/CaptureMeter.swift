internal import NaluBase

/// Counts the pictures and audio of one run. Nothing is allocated after the first picture.
struct CaptureMeter: Sendable {
    private(set) var counts = CaptureStatistics()
    private var capture = DelayMeter()
    private var wait = DelayMeter()
    private var handler = DelayMeter()
    /// The host times of the last calls, oldest first.
    private var calls = RingBuffer<Int64>(capacity: Self.window)
    /// The pictures that were dropped since the last call.
    private var droppedSinceCall: UInt32 = 0

    private static let window = 64

    mutating func arrived(capturedAt time: Int64, at arrival: Int64) {
        counts.capturedFrames += 1
        capture.add(from: time, to: arrival)
    }

    mutating func droppedLate() {
        counts.lateFrames += 1
        droppedSinceCall &+= 1
    }

    mutating func droppedStarved() {
        counts.capturedFrames += 1
        counts.starvedFrames += 1
        droppedSinceCall &+= 1
    }

    mutating func missed(_ count: UInt64) {
        counts.missedFrames &+= count
        droppedSinceCall &+= UInt32(truncatingIfNeeded: count)
    }

    mutating func repairedTime() { counts.repairedTimes += 1 }

    /// Notes that a call begins. Returns the number of pictures that were dropped since the previous call.
    mutating func called(arrivedAt arrival: Int64, at now: Int64) -> UInt32 {
        counts.deliveredFrames += 1
        wait.add(from: arrival, to: now)
        if calls.count == Self.window { _ = calls.popFirst() }
        calls.append(now)
        defer { droppedSinceCall = 0 }
        return droppedSinceCall
    }

    mutating func returned(calledAt call: Int64, at now: Int64) {
        handler.add(from: call, to: now)
    }

    mutating func deliveredAudio(_ frames: Int) { counts.audioFrames &+= UInt64(max(0, frames)) }

    mutating func lostAudio(_ frames: Int) { counts.lostAudioFrames &+= UInt64(max(0, frames)) }

    var statistics: CaptureStatistics {
        var statistics = counts
        statistics.capture = capture.delay
        statistics.wait = wait.delay
        statistics.handler = handler.delay
        if calls.count > 1, let first = calls[0], let last = calls[calls.count - 1], last > first {
            statistics.frameRate = Double(calls.count - 1) * 1e9 / Double(last - first)
        }
        return statistics
    }
}
