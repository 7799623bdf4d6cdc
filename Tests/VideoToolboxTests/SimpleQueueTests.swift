import Testing
import VideoToolbox

/// A type of the framework as Swift has it: a class, made by a function with an out parameter, counted by ARC.
struct SimpleQueueTests {
    @Test func elementsComeInOrder() throws {
        var created: CMSimpleQueue?
        #expect(unsafe CMSimpleQueueCreate(allocator: nil, capacity: 2, queueOut: &created) == 0)
        let queue = try #require(created)
        #expect(CMSimpleQueueGetCapacity(queue) == 2)
        #expect(CFGetTypeID(queue) == CMSimpleQueueGetTypeID())
    }
}
