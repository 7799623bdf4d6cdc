import Nalu
import Testing

@testable import NaluCommand

@Suite struct AudioClockTests {
    /// An audio device that asks for 1024 frames at a time, and its clock. The test moves the host clock.
    private struct Device {
        static let rate = 48_000
        static let buffer = 1024
        /// The device's clock relative to the host clock.
        var speed: Double
        /// The most by which the device is late, in seconds.
        var jitter = 0.0
        let host: Timebase
        var clock: AudioClock
        private var asked = 0
        /// The host time at which the device will ask for the next buffer, without jitter, in seconds.
        private(set) var due = 100.0
        private var state: UInt32 = 1

        init(speed: Double, jitter: Double = 0) throws {
            self.speed = speed
            self.jitter = jitter
            host = try Timebase.manualClock(at: MediaTime(value: 100, timescale: 1))
            clock = try AudioClock(sampleRate: Self.rate, host: host)
        }

        /// The number of frames that the device has asked for, as a time in seconds.
        var played: Double { Double(asked) / Double(Self.rate) }

        /// Asks for one buffer, and returns the clock's time at that moment.
        mutating func ask() throws -> Double {
            state = state &* 1_664_525 &+ 1_013_904_223
            let late = jitter * Double(state >> 8) / Double(1 << 24)
            try host.setTime(MediaTime(seconds: due + late, preferredTimescale: 1_000_000_000))
            let time = clock.timebase.time.seconds
            clock.note(frames: Self.buffer)
            asked += Self.buffer
            due += Double(Self.buffer) / Double(Self.rate) / speed
            return time
        }

        /// The device plays nothing for a time, as after an underrun.
        mutating func pause(_ seconds: Double) { due += seconds }
    }

    @Test(arguments: [0.9995, 1, 1.0005, 1.01])
    func `The clock follows the device, whose requests jitter`(speed: Double) throws {
        var device = try Device(speed: speed, jitter: 0.008)
        var offsets: [Double] = []
        for _ in 0..<6000 {
            let played = device.played
            offsets.append(try device.ask() - played)
        }
        // The first half minute learns the rate. Offsets include the jitter, of which the first request has a part too.
        let later = offsets[1500...]
        let mean = later.reduce(0, +) / Double(later.count)
        #expect(later.allSatisfy { ($0 - mean).magnitude < 0.012 })
        #expect(mean.magnitude < 0.012)
        #expect((device.clock.timebase.effectiveRate - speed).magnitude < 0.003)
    }

    @Test func `The clock has no steps, also when the device loses time`() throws {
        var device = try Device(speed: 1.0002, jitter: 0.008)
        var last: (host: Double, time: Double)?
        for number in 0..<3000 {
            if number % 700 == 699 { device.pause(0.5) }
            let time = try device.ask()
            let host = device.host.time.seconds
            if let last {
                let passed = host - last.host
                #expect((time - last.time - passed).magnitude <= 0.05 * passed.magnitude + 1e-6)
            }
            last = (host, time)
        }
    }

    @Test func `Lost time moves the device and not the clock`() throws {
        var device = try Device(speed: 1)
        for _ in 0..<500 { _ = try device.ask() }
        device.pause(2)
        for _ in 0..<500 { _ = try device.ask() }
        let passed = device.host.time.seconds - 100
        #expect((device.clock.timebase.time.seconds - passed).magnitude < 0.05)
        #expect((device.clock.timebase.effectiveRate - 1).magnitude < 0.005)
    }

    @Test func `A device without a clock leaves the rate at that of the host`() throws {
        var device = try Device(speed: 1.3)
        device.clock.isMaster = false
        for _ in 0..<1000 { _ = try device.ask() }
        #expect(device.clock.timebase.effectiveRate == 1)
        #expect((device.clock.timebase.time.seconds - (device.host.time.seconds - 100)).magnitude < 1e-6)
    }

    @Test func `The rate differs from the host clock by 5 % at most`() throws {
        for speed in [0.8, 1.2] {
            var device = try Device(speed: speed)
            for _ in 0..<2000 {
                _ = try device.ask()
                #expect(0.9499...1.0501 ~= device.clock.timebase.effectiveRate)
            }
        }
    }
}
