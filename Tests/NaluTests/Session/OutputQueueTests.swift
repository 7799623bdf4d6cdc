import Testing

@testable import Nalu

/// Fetching frames from a queue.
@Suite struct OutputQueueTests {
    @Test(arguments: [0, -0.0, .nan, 1e-9])
    func aQueueWithoutFramesHasNothing(timeout: Double) throws {
        let queue = try OutputQueue()
        guard case .nothingYet = queue.next(timeout: timeout) else {
            Issue.record("expected nothing")
            return
        }
    }

    @Test func theLastOfSeveralSessionsClosesIt() throws {
        let queue = try OutputQueue()
        for _ in 0..<3 { queue.attach() }
        for isLast in [false, false, true] {
            queue.detach()
            if case .end = queue.next(timeout: 0) { #expect(isLast) } else { #expect(!isLast) }
        }
    }
}
