import FoundationEssentials
import Testing

@testable import NaluServe

@Suite struct ViewerQueueTests {
    private func frame(_ byte: UInt8, isKey: Bool = false, size: Int = 1, at time: Double = 0)
        -> ViewerQueue.SampleFrame
    {
        ViewerQueue.SampleFrame(bytes: Data(repeating: byte, count: size), isKeyFrame: isKey, time: time)
    }

    private func check(_ queue: inout ViewerQueue, _ frame: ViewerQueue.SampleFrame, is isQueued: Bool) {
        let result = queue.append(frame)
        #expect(result == isQueued)
    }

    private func drain(_ queue: inout ViewerQueue) -> [UInt8] {
        var bytes: [UInt8] = []
        while let frame = queue.popFirst() { bytes.append(frame.first ?? 0) }
        return bytes
    }

    @Test func aViewerBeginsWithAKeyFrame() {
        var queue = ViewerQueue()
        check(&queue, frame(1), is: false)
        check(&queue, frame(2, isKey: true), is: true)
        check(&queue, frame(3), is: true)
        let bytes = drain(&queue)
        #expect(bytes == [2, 3])
    }

    @Test func aLateViewerContinuesAtTheNextKeyFrame() {
        var queue = ViewerQueue()
        check(&queue, frame(1, isKey: true, at: 0), is: true)
        check(&queue, frame(2, at: 0.3), is: true)
        check(&queue, frame(3, at: 0.5), is: false)
        #expect(queue.needsKeyFrame)
        check(&queue, frame(4, at: 0.6), is: false)
        check(&queue, frame(5, isKey: true, at: 0.7), is: true)
        let bytes = drain(&queue)
        #expect(bytes == [5])
        #expect(queue.lost == 4)
    }

    @Test func memoryIsBounded() {
        var queue = ViewerQueue()
        check(&queue, frame(1, isKey: true, size: 5 << 20), is: true)
        check(&queue, frame(2), is: false)
        let bytes = drain(&queue)
        #expect(bytes == [])
        check(&queue, frame(3, isKey: true, size: 3 << 20), is: true)
        check(&queue, frame(4, size: 1 << 20), is: true)
        check(&queue, frame(5, size: 1), is: false)
        for _ in 0..<1000 { queue.append(message: Data([9])) }
        let messages = drain(&queue)
        #expect(messages.filter { $0 == 9 }.count == ViewerQueue.mostMessages)
    }

    @Test func messagesOvertakeSamples() {
        var queue = ViewerQueue()
        _ = queue.append(frame(1, isKey: true))
        queue.append(message: Data([7]))
        let bytes = drain(&queue)
        #expect(bytes == [7, 1])
        #expect(queue.isEmpty)
    }
}
