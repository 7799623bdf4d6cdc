import Testing

@testable import Nalu

/// The governor with a simulated machine: the time of a frame at each step is given.
@Suite struct GovernorTests {
    /// Simulates `seconds` of frames; `costs` are fractions of a frame's time. Returns the step of each frame.
    private func run(
        _ governor: inout Governor, seconds: Double, costs: [Double], frameRate: Double = 30, load: Double = 1
    ) -> [Int] {
        var steps: [Int] = []
        for _ in 0..<Int(seconds * frameRate) {
            steps.append(governor.step)
            governor.note(seconds: costs[governor.step] * load / frameRate, frameRate: frameRate)
        }
        return steps
    }

    private let costs = [2.0, 1.5, 1.1, 0.7, 0.5]

    @Test func halfTheSpeedKeepsTheFrameRateWithinASecond() {
        var governor = Governor(lastStep: 4)
        let steps = run(&governor, seconds: 10, costs: costs)
        #expect(steps[30...].allSatisfy { costs[$0] <= Governor.share })
        // The governor does not go up a step, because a frame would then take longer than it lasts.
        #expect(Set(steps[30...]) == [3])
    }

    @Test func theGovernorKeepsItsStepIfThereIsTime() {
        var governor = Governor(lastStep: 4)
        #expect(Set(run(&governor, seconds: 5, costs: [0.8, 0.5, 0.4, 0.3, 0.2])) == [0])
    }

    @Test func theGovernorReturnsWhenTheLoadEnds() {
        var governor = Governor(lastStep: 4)
        _ = run(&governor, seconds: 3, costs: costs)
        #expect(governor.step == 3)
        let steps = run(&governor, seconds: 8, costs: costs, load: 0.3)
        #expect(governor.step == 0)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 - $1 <= 1 })
    }

    /// A step up with an unknown cost turns out too slow. It is undone, and tried again at growing intervals.
    @Test func theGovernorDoesNotOscillate() {
        var governor = Governor(lastStep: 1)
        let costs = [1.0, 0.5]
        let steps = run(&governor, seconds: 60, costs: costs)
        let changes = zip(steps, steps.dropFirst()).filter { $0 != $1 }.count
        #expect(changes <= 3)
        #expect(steps.filter { $0 == 0 }.count < 60)
    }

    @Test func oneSlowFrameChangesNothing() {
        var governor = Governor(lastStep: 4)
        for index in 0..<300 {
            governor.note(seconds: (index % 100 == 50 ? 2.5 : 0.5) / 30, frameRate: 30)
            #expect(governor.step == 0)
        }
    }

    /// Some slow frames among fast ones: the governor does not keep their cost as the cost of a step.
    @Test(arguments: [1, 2, 3, 5, 8]) func aShortDelayIsForgotten(length: Int) {
        for place in 300..<316 {
            var governor = Governor(lastStep: 5)
            let costs = [1.0, 0.75, 0.55, 0.42, 0.33, 0.21]
            for index in 0..<1500 {
                let load = (place..<place + length).contains(index) ? 8.0 : 0.6
                governor.note(seconds: costs[governor.step] * load / 30, frameRate: 30)
                if length == 1 { #expect(governor.step == 0) }
            }
            #expect(governor.step == 0, "\(length) slow frames at \(place)")
        }
    }

    /// Single slow frames, each of which its window ignores: together they reduce the frame rate.
    @Test func alternatingSlowFramesAreTooSlow() {
        var governor = Governor(lastStep: 4)
        for index in 0..<600 {
            let cost = [1.0, 0.7, 0.5, 0.4, 0.3][governor.step]
            governor.note(seconds: cost * (index % 8 == 0 ? 4 : 0.8) / 30, frameRate: 30)
        }
        #expect(governor.step > 0)
    }

    @Test func withoutStepsOrAFrameRateTheGovernorDoesNothing() {
        var none = Governor(lastStep: 0)
        var governor = Governor(lastStep: 4)
        for _ in 0..<20 {
            none.note(seconds: 1, frameRate: 30)
            governor.note(seconds: 1, frameRate: 0)
            governor.note(seconds: .nan, frameRate: 30)
            governor.note(seconds: -1, frameRate: 30)
        }
        #expect(none.step == 0)
        #expect(governor.step == 0)
    }

    @Test func aResetReturnsToTheOpeningSettings() {
        var governor = Governor(lastStep: 4)
        _ = run(&governor, seconds: 2, costs: costs)
        governor.reset()
        #expect(governor.step == 0)
    }
}
