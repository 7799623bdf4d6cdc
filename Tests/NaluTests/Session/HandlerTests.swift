import Synchronization
import Testing

@testable import Nalu

/// The calls that a handler may make, and its lifetime.
@Suite struct HandlerTests {
    @Test func invalidateReleasesAHandlerThatHoldsTheSession() throws {
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

    private final class Holder: Sendable {
        let session = Guarded<CompressionSession?>(nil)
    }
}
