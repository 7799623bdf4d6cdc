import Testing
import VideoToolbox

/// A type of the framework as a class in Swift: a function creates an instance by an out parameter, and ARC counts its
/// references.
struct SimpleQueueTests {
    @Test func elementsComeInOrder() throws {
        var created: CMSimpleQueue?
        #expect(unsafe CMSimpleQueueCreate(allocator: nil, capacity: 2, queueOut: &created) == 0)
        let queue = try #require(created)
        #expect(CMSimpleQueueGetCapacity(queue) == 2)
        #expect(CFGetTypeID(queue) == CMSimpleQueueGetTypeID())
    }

    @Test func membersAreThoseOfAMac() throws {
        let queue = try CMSimpleQueue(capacity: 2)
        #expect(queue.capacity == 2 && queue.count == 0 && queue.fullness == 0)
        #expect(CFGetTypeID(queue) == CMSimpleQueue.typeID)
        let (first, second) = unsafe (UnsafeRawPointer(bitPattern: 1)!, UnsafeRawPointer(bitPattern: 2)!)
        try unsafe queue.enqueue(first)
        #expect(queue.fullness == 0.5)
        try unsafe queue.enqueue(second)
        let error = #expect(throws: NSError.self) { try unsafe queue.enqueue(first) }
        #expect(error == CMSimpleQueue.Error.queueIsFull)
        #expect(unsafe queue.head == first && queue.dequeue() == first && queue.dequeue() == second)
        #expect(unsafe queue.dequeue() == nil && queue.head == nil)
        try unsafe queue.enqueue(second)
        try queue.reset()
        #expect(queue.count == 0)
        let outOfRange = #expect(throws: NSError.self) { try CMSimpleQueue(capacity: 0) }
        #expect(outOfRange == CMSimpleQueue.Error.parameterOutOfRange)
    }
}
