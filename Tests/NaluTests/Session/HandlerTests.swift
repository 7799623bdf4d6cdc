import Synchronization
import Testing

@testable import Nalu

/// The calls that a handler may make, and its lifetime.
@Suite struct HandlerTests {
    @Test func completeAndInvalidateSayThatTheyWouldWaitForThisVeryCall() throws {
        let statuses = Collected<Status>()
        let box = SessionBox()
        let fake = try FakeSession(
            handler: { _ in
                guard let session = box.fake?.session else { return }
                statuses.append(TestBytes.status { () throws(NaluError) in try session.complete() })
                statuses.append(TestBytes.status { () throws(NaluError) in try session.complete(until: .zero) })
                statuses.append(TestBytes.status { () throws(NaluError) in try session.invalidate() })
            })
        box.fake = fake
        let accepted = fake.encode(0..<3)
        try fake.session.complete()
        box.fake = nil
        #expect(statuses.all.count == 9 && statuses.all.allSatisfy { $0 == .reentrant })
        // The calls had no effect.
        #expect(fake.returned.finishes == 0)
        #expect(fake.encode([3]) == [3])
        try fake.session.complete()
        fake.expectContract(accepted: accepted + [3])
    }

    @Test func aWaitForAnotherSessionIsRefusedUntilItIsAllowed() throws {
        let statuses = Collected<Status>()
        let other = SessionBox()
        other.fake = try FakeSession(handler: { _ in })
        let fake = try FakeSession(
            handler: { _ in
                guard let session = other.fake?.session else { return }
                statuses.append(TestBytes.status { () throws(NaluError) in try session.complete() })
                CallbackWaiting.allow()
                statuses.append(TestBytes.status { () throws(NaluError) in try session.complete() })
                CallbackWaiting.allow(false)
                statuses.append(TestBytes.status { () throws(NaluError) in try session.invalidate() })
            })
        let accepted = fake.encode(0..<1)
        try fake.session.complete()
        #expect(statuses.all == [.wouldBlock, .ok, .wouldBlock])
        fake.expectContract(accepted: accepted)
    }

    @Test func itMaySetAndReadPropertiesAndPrepare() throws {
        let values = Collected<PropertyValue>()
        let box = SessionBox()
        let fake = try FakeSession(
            handler: { frame in
                guard let session = box.fake?.session else { return }
                do {
                    try session.prepare()
                    try session.set(.maxKeyFrameInterval, .integer(Int64(frame.number) + 5))
                    values.append(try session.property(.maxKeyFrameInterval))
                    values.append(try session.property(.numberOfPendingFrames))
                } catch {
                    Issue.record(error)
                }
            })
        box.fake = fake
        for number in 0..<3 {
            try fake.encode(number)
            try fake.session.complete()
        }
        box.fake = nil
        // The frame is pending until its call has returned.
        #expect(values.all == [5, 1, 6, 1, 7, 1])
    }

    @Test func itMayLetGoOfTheLastReference() throws {
        for frame in 0..<4 {
            let returned = Collector()
            let (weak, contexts, encoders): (Weak<CompressionSession>, LifeCounter, FakeEncoders)
            let box = SessionBox()
            do {
                let fake = try FakeSession(
                    FakeScript(delay: 1), returned: returned,
                    handler: { if $0.number == frame { box.fake = nil } })
                box.fake = fake
                (weak, contexts, encoders) = (Weak(fake.session), fake.contexts, fake.encoders)
                _ = fake.encode(0..<4)
                if frame == 3 {
                    try fake.session.complete()
                }
            }
            #expect(eventually { returned.finishes == 1 && contexts.count == 0 && weak.object == nil })
            #expect(returned.frames == Array(0..<4))
            #expect(returned.calls.allSatisfy { !$0.isLate && $0.overlapping == 0 })
            #expect(eventually { encoders.alive.count == 0 })
        }
    }

    @Test func aHandlerThatHoldsTheSessionIsLetGoAtInvalidate() throws {
        let life = LifeCounter()
        let finishes = Atomic(0)
        let weak: Weak<CompressionSession>
        do {
            let holder = Holder()
            let session = try CompressionSession(
                width: 32, height: 32, encoder: FakeEncoders().description, sourceFormat: nil,
                onFinish: { [life = life.make()] in
                    withExtendedLifetime(life) { _ = finishes.add(1, ordering: .sequentiallyConsistent) }
                },
                outputHandler: { [life = life.make()] _ in
                    withExtendedLifetime((life, holder)) {}
                })
            holder.session.withLock { $0 = session }
            weak = Weak(session)
            try session.encode(
                PixelBuffer(filled: 0, .nv12, 32, 32), presentationTime: .zero)
        }
        #expect(weak.object != nil && life.count == 2)
        try weak.object?.invalidate()
        #expect(finishes.load(ordering: .sequentiallyConsistent) == 1)
        #expect(eventually { weak.object == nil && life.count == 0 })
    }

    @Test func aFramesOwnHandlerReceivesItInsteadOfTheSessions() throws {
        let own = Collector()
        let contexts = LifeCounter()
        let fake = try FakeSession(FakeScript(delay: 2, group: [1, 0]))
        var options = FrameOptions()
        do {
            let context = contexts.make()
            options.outputHandler = { frame in withExtendedLifetime(context) { own.receive(frame) } }
        }
        for number in 0..<9 { try fake.encode(number, options: number % 3 == 1 ? options : FrameOptions()) }
        try fake.session.complete()
        #expect(own.frames.sorted() == [1, 4, 7])
        #expect(fake.returned.frames.sorted() == [0, 2, 3, 5, 6, 8])
        options.outputHandler = nil
        #expect(eventually { contexts.count == 0 })
    }

    @Test func aSessionWithoutHandlerTakesOnlyFramesThatBringOne() throws {
        let own = Collector()
        let session = try CompressionSession(
            width: 32, height: 32, encoder: FakeEncoders().description, sourceFormat: nil, onFinish: nil,
            outputHandler: nil)
        let buffer = try PixelBuffer(filled: 0, .nv12, 32, 32)
        let status = TestBytes.status { () throws(NaluError) in
            try session.encode(buffer, presentationTime: .zero)
        }
        #expect(status == .parameter)
        try session.encode(
            buffer, presentationTime: .zero, options: FrameOptions(outputHandler: { own.receive($0) }),
            refcon: refcon(7))
        try session.complete()
        #expect(own.frames == [7])
    }

    /// Each frame is encoded by the handler of the frame before.
    @Test func aChainOfFramesCanBeEncodedFromTheHandler() throws {
        let box = SessionBox()
        let fake = try FakeSession(
            handler: { frame in
                guard frame.number < 50, let fake = box.fake else { return }
                #expect(fake.encode([frame.number + 1]) == [frame.number + 1])
            })
        box.fake = fake
        try fake.encode(0)
        #expect(eventually { fake.returned.frames.count == 51 })
        box.fake = nil
        fake.expectContract(accepted: Array(0...50))
    }

    private final class Holder: Sendable {
        let session = Guarded<CompressionSession?>(nil)
    }
}
