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
}
