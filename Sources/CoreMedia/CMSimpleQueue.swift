public import CoreFoundationTypes
public import Foundation

/// A protocol that lets a CoreFoundation type have initializers.
public protocol CMSimpleQueueProtocol {}

extension CMSimpleQueue: CMSimpleQueueProtocol {}

extension CMSimpleQueueProtocol where Self == CMSimpleQueue {
    /// Creates a queue for `capacity` elements: 1 or more.
    ///
    /// - Throws: `NSError` with a `kCMSimpleQueueError_…` status, as the functions below do.
    public init(capacity: Int) throws {
        var queue: CMSimpleQueue?
        let status = unsafe CMSimpleQueueCreate(
            allocator: nil, capacity: Int32(clamping: capacity), queueOut: &queue)
        self = try created(queue, status)
    }
}

extension CMSimpleQueue {
    public static var typeID: CFTypeID { CMSimpleQueueGetTypeID() }

    /// The errors of the functions.
    public struct Error {
        public static var allocationFailed: NSError { failure(kCMSimpleQueueError_AllocationFailed) }
        public static var requiredParameterMissing: NSError { failure(kCMSimpleQueueError_RequiredParameterMissing) }
        public static var parameterOutOfRange: NSError { failure(kCMSimpleQueueError_ParameterOutOfRange) }
        public static var queueIsFull: NSError { failure(kCMSimpleQueueError_QueueIsFull) }
    }

    /// Appends an element, which the queue does not retain.
    public func enqueue(_ element: UnsafeRawPointer) throws {
        try check(unsafe CMSimpleQueueEnqueue(self, element: element))
    }

    /// Removes and returns the first element; nil if the queue is empty.
    public func dequeue() -> UnsafeRawPointer? { unsafe CMSimpleQueueDequeue(self) }

    /// The first element; nil if the queue is empty.
    public var head: UnsafeRawPointer? { unsafe CMSimpleQueueGetHead(self) }

    /// Empties the queue. No other thread may use it during the call.
    public func reset() throws { try check(CMSimpleQueueReset(self)) }

    public var capacity: Int { Int(CMSimpleQueueGetCapacity(self)) }
    public var count: Int { Int(CMSimpleQueueGetCount(self)) }

    /// The filled fraction of the capacity, from 0 to 1.
    public var fullness: Float { capacity > 0 ? Float(count) / Float(capacity) : 0 }
}
