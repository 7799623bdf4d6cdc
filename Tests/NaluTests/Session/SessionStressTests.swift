import Testing

@testable import Nalu

/// Eight sessions with the real encoder. Four threads make random calls on each of them.
@Suite struct SessionStressTests {
    private static let sessionCount = 8

    @Test func nothingIsLostOrDoubledWhateverIsDone() throws {
        let sessions = (0..<Self.sessionCount).map { Run(seed: UInt64($0)) }
        let threads = sessions.flatMap { $0.start() }
        #expect(threads.allSatisfy { $0.join() })
        for session in sessions { session.expectCleanEnd() }
    }

    /// The run of one session.
    private final class Run: Sendable {
        private struct State {
            var session: CompressionSession?
            var next = 0
            var accepted: [Int] = []
        }

        private let seed: UInt64
        private let returned = Collector()
        private let contexts = LifeCounter()
        private let buffers = LifeCounter()
        private let state = Guarded(State())

        init(seed: UInt64) { self.seed = seed }

        func start() -> [TestThread] {
            let context = contexts.make()
            let returned = returned
            do {
                let session = try CompressionSession(
                    width: 48, height: 32, onFinish: { returned.finish() },
                    outputHandler: { frame in withExtendedLifetime(context) { returned.receive(frame) } })
                try session.set([(.x264Preset, "ultrafast"), (.realTime, .bool(seed % 2 == 0))])
                if seed % 3 == 0 { try session.set(.averageBitRate, 500_000) }
                state.withLock { $0.session = session }
            } catch {
                Issue.record(error)
            }
            return [
                TestThread { self.encode() }, TestThread { self.encode() }, TestThread { self.changeProperties() },
                TestThread { self.completeAndEnd() },
            ]
        }

        /// The session, retained for the calling thread.
        private var session: CompressionSession? { state.withLock { $0.session } }

        private func encode() {
            var random = TestRandom(seed: seed &+ 100)
            let formats: [PixelFormat] = [.nv12, .i420, .bgra, .nv12FullRange, .gray8]
            for _ in 0..<60 {
                guard let session else { return }
                let format = formats[Int.random(in: 0..<formats.count, using: &random)]
                let width = Int.random(in: 0..<4, using: &random) == 0 ? 50 : 48
                guard
                    let buffer = try? buffers.makeBuffer(format, width, 32, value: .random(in: 0...255, using: &random))
                else { return }
                let options = FrameOptions(
                    forceKeyFrame: Int.random(in: 0..<9, using: &random) == 0, doNotWait: Bool.random(using: &random))
                let number = state.withLock { state in
                    defer { state.next += 1 }
                    return state.next
                }
                do throws(NaluError) {
                    try session.encode(
                        buffer, presentationTime: FakeSession.time(number), options: options, refcon: refcon(number))
                    state.withLock { $0.accepted.append(number) }
                } catch {
                    let expected: [Status] = [.invalidTime, .wouldBlock, .invalidSession]
                    #expect(expected.contains(error.status), "\(error)")
                }
            }
        }

        private func changeProperties() {
            var random = TestRandom(seed: seed &+ 200)
            for _ in 0..<150 {
                guard let session else { return }
                switch Int.random(in: 0..<7, using: &random) {
                case 0: try? session.set(.averageBitRate, .integer(.random(in: 10_000...2_000_000, using: &random)))
                case 1: try? session.set(.quality, .double(.random(in: 0...1, using: &random)))
                case 2: try? session.set(.dataRateLimits, [.random(in: 5000...50_000, using: &random), 1])
                case 3: try? session.set(.maxKeyFrameInterval, .integer(.random(in: 0...20, using: &random)))
                case 4: try? session.set(.dataRateLimits, nil)
                case 5: _ = try? session.property(.x264Effective)
                default: _ = (session.lastError, try? session.property(.numberOfPendingFrames))
                }
            }
        }

        private func completeAndEnd() {
            for round in 0..<6 {
                guard let session else { return }
                try? session.complete(until: round % 2 == 0 ? .invalid : FakeSession.time(round * 10))
            }
            if seed % 4 == 1 { try? session?.invalidate() }
            TestThread.sleep(milliseconds: Double(seed))
            // Threads that are still in a call keep the session until the call returns.
            let last = state.withLock { state in
                defer { state.session = nil }
                return state.session
            }
            _ = last
        }

        func expectCleanEnd() {
            #expect(eventually { returned.finishes == 1 && contexts.count == 0 && buffers.count == 0 })
            let accepted = state.withLock { $0.accepted.sorted() }
            #expect(returned.frames.sorted() == accepted)
            #expect(returned.calls.allSatisfy { $0.overlapping == 0 && !$0.isLate })
            let statuses = Set(returned.calls.map { $0.status })
            #expect(statuses.isSubset(of: [.ok, .invalidSession]))
            for (sample, next) in zip(returned.samples, returned.samples.dropFirst()) {
                #expect(sample.decodeTime < next.decodeTime)
            }
        }
    }
}
