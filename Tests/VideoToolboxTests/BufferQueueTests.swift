import Foundation
import Testing
import VideoToolbox

/// CMBufferQueue with the members of a Mac, and casts of what it contains.
struct BufferQueueTests {
    /// A queue of one type, as programs write it. The cast is the only one that compiles for a sample buffer.
    private final class TypedQueue<T: AnyObject> {
        private let queue: CMBufferQueue

        var head: T? {
            guard let head = queue.head else { return nil }
            return (head as! T)
        }
        var isEmpty: Bool { queue.isEmpty }
        var duration: CMTime { queue.duration }

        init(capacity: CMItemCount, handlers: CMBufferQueue.Handlers) throws {
            queue = try CMBufferQueue(capacity: capacity, handlers: handlers)
        }

        func enqueue(_ buffer: T) throws { try queue.enqueue(buffer) }

        func dequeue() -> T? {
            guard let value = queue.dequeue() else { return nil }
            return (value as! T)
        }

        func reset() throws { try queue.reset() }
    }

    /// An item that is no CoreFoundation object.
    private final class Item {
        let number: Int64
        init(_ number: Int64) { self.number = number }
    }

    private func sample(_ frame: Int64) throws -> CMSampleBuffer {
        let timing = CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 30), presentationTimeStamp: CMTime(value: frame, timescale: 30),
            decodeTimeStamp: .invalid)
        return try CMSampleBuffer(
            dataBuffer: CMBlockBuffer(length: 4), formatDescription: nil, numSamples: 1, sampleTimings: [timing],
            sampleSizes: [4])
    }

    @Test func samplesComeOutAsSamples() throws {
        let queue = try TypedQueue<CMSampleBuffer>(capacity: 3, handlers: .outputPTSSortedSampleBuffers)
        let (first, second) = (try sample(1), try sample(2))
        try queue.enqueue(second)
        try queue.enqueue(first)
        #expect(queue.head === first && queue.duration == CMTime(value: 2, timescale: 30) && !queue.isEmpty)
        #expect(queue.dequeue() === first && queue.dequeue() === second && queue.dequeue() == nil && queue.head == nil)
        try queue.enqueue(first)
        try queue.reset()
        #expect(queue.isEmpty)
    }

    @Test func buffersHaveTimesAndErrors() throws {
        let queue = try CMBufferQueue(capacity: 2, handlers: .unsortedSampleBuffers)
        try queue.enqueue(sample(5))
        try queue.enqueue(sample(3))
        #expect(queue.bufferCount == 2 && queue.totalSize == 8 && CFGetTypeID(queue) == CMBufferQueue.typeID)
        #expect(queue.firstPresentationTimeStamp.value == 5 && queue.minPresentationTimeStamp.value == 3)
        #expect(queue.maxPresentationTimeStamp.value == 5 && queue.endPresentationTimeStamp.value == 6)
        let full = #expect(throws: NSError.self) { try queue.enqueue(sample(4)) }
        #expect(full == CMBufferQueue.Error.queueIsFull)
        #expect(queue.buffers.map { ($0 as! CMSampleBuffer).presentationTimeStamp.value } == [5, 3])
        let object: CMBuffer? = queue.dequeue()
        #expect(CFGetTypeID(object) == CMSampleBuffer.typeID && queue.dequeueIfDataReady() as! CMSampleBuffer? != nil)

        try queue.enqueue(sample(8))
        var removed: [Int64] = []
        try queue.reset { removed.append(($0 as! CMSampleBuffer).presentationTimeStamp.value) }
        #expect(removed == [8] && queue.isEmpty)
        queue.setValidationHandler { _, buffer in
            if (buffer as! CMSampleBuffer).presentationTimeStamp.value < 0 { throw CMBufferQueue.Error.invalidBuffer }
        }
        let invalid = #expect(throws: NSError.self) { try queue.enqueue(sample(-1)) }
        #expect(invalid == CMBufferQueue.Error.invalidBuffer)
        try queue.markEndOfData()
        #expect(queue.containsEndOfData && queue.isAtEndOfData)
        #expect(throws: NSError.self) { try queue.enqueue(sample(1)) }
    }

    @Test func functionsReturnBuffersThatAreCast() throws {
        let queue = try CMBufferQueue(capacity: 0, handlers: .unsortedSampleBuffers)
        let first = try sample(1)
        try queue.enqueue(first)
        #expect(CMBufferQueueGetHead(queue) as! CMSampleBuffer === first)
        #expect((CMBufferQueueCopyHead(queue) as CMBuffer?) === first)
        let buffer = CMBufferQueueDequeue(queue)
        #expect((buffer as! CMSampleBuffer) === first && CMBufferQueueDequeueIfDataReady(queue) as Any? == nil)
    }

    /// Uses the conversion that docs/videotoolbox.md recommends for objects of the static type `AnyObject`.
    @Test func otherObjectsAreConverted() throws {
        let (carrier, attached) = (try sample(1), try sample(2))
        CMSetAttachment(
            carrier, key: "sample" as CFString, value: attached, attachmentMode: kCMAttachmentMode_ShouldPropagate)
        let value = try #require(CMGetAttachment(carrier, key: "sample" as CFString, attachmentModeOut: nil))
        #expect(CFGetTypeID(value) == CMSampleBuffer.typeID)
        let found = unsafe Unmanaged<CMSampleBuffer>.fromOpaque(Unmanaged.passUnretained(value).toOpaque())
            .takeUnretainedValue()
        #expect(found.presentationTimeStamp.value == 2 && found === attached)
    }

    @Test func handlersMayBeReplaced() throws {
        let handlers = CMBufferQueue.Handlers { builder in
            builder.compare {
                let (first, second) = (($0 as! Item).number, ($1 as! Item).number)
                return first < second ? .compareLessThan : first > second ? .compareGreaterThan : .compareEqualTo
            }
            builder.getPresentationTimeStamp { CMTime(value: ($0 as! Item).number, timescale: 1) }
            builder.getDuration { _ in CMTime(value: 2, timescale: 1) }
            builder.getSize { _ in 5 }
            builder.isDataReady { ($0 as! Item).number > 1 }
        }
        let queue = try CMBufferQueue(capacity: 0, handlers: handlers)
        for number: Int64 in [3, 1, 2] { try queue.enqueue(Item(number)) }
        #expect(queue.duration.value == 6 && queue.totalSize == 15 && queue.minPresentationTimeStamp.value == 1)
        #expect(queue.dequeueIfDataReady() as Any? == nil && (queue.dequeue() as? Item)?.number == 1)
        #expect((queue.dequeueIfDataReady() as? Item)?.number == 2)

        let doubled = CMBufferQueue.Handlers.unsortedSampleBuffers.withHandlers {
            $0.getDuration { CMTimeMultiply(CMSampleBufferGetDuration($0 as! CMSampleBuffer), multiplier: 2) }
        }
        let samples = try CMBufferQueue(capacity: 0, handlers: doubled)
        try samples.enqueue(sample(0))
        #expect(samples.duration == CMTime(value: 2, timescale: 30) && samples.totalSize == 4)
        let none = try CMBufferQueue(capacity: 0, handlers: .init { _ in })
        try none.enqueue(Item(1))
        #expect(none.bufferCount == 1 && none.duration == .zero)
    }

    @Test func triggersFire() throws {
        final class Count { var fired = 0 }
        let queue = try CMBufferQueue(capacity: 0, handlers: .unsortedSampleBuffers)
        let count = Count()
        let many = try unsafe queue.installTrigger(condition: .whenBufferCountBecomesGreaterThan(1)) { _ in
            count.fired += 1
        }
        let long = try unsafe queue.installTrigger(
            condition: .whenDurationBecomesGreaterThanOrEqualTo(CMTime(value: 1, timescale: 30)))
        #expect(unsafe !queue.testTrigger(many) && !queue.testTrigger(long))
        try queue.enqueue(sample(0))
        #expect(unsafe count.fired == 0 && queue.testTrigger(long))
        try queue.enqueue(sample(1))
        #expect(unsafe count.fired == 1 && queue.testTrigger(many))
        try unsafe queue.removeTrigger(many)
        try queue.reset()
        #expect(throws: NSError.self) { try queue.installTrigger(condition: .whenDurationBecomesLessThan(.invalid)) }
    }
}
