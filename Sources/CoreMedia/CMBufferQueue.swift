public import CoreFoundationTypes
public import Foundation

/// A protocol that lets a CoreFoundation type have initializers.
public protocol CMBufferQueueProtocol {}

extension CMBufferQueue: CMBufferQueueProtocol {}

extension CMBufferQueueProtocol where Self == CMBufferQueue {
    /// Creates a queue.
    ///
    /// - Parameter capacity: the largest number of buffers; 0 for no limit.
    /// - Throws: `NSError` with a `kCMBufferQueueError_…` status, as the functions below do.
    public init(capacity: CMItemCount, handlers: CMBufferQueue.Handlers) throws {
        var queue: CMBufferQueue?
        var blocks = unsafe CMBufferHandlers(
            version: 1, getDecodeTimeStamp: handlers.getDecodeTimeStamp,
            getPresentationTimeStamp: handlers.getPresentationTimeStamp, getDuration: handlers.getDuration,
            isDataReady: handlers.isDataReady, compare: handlers.compare, dataBecameReadyNotification: nil,
            getSize: handlers.getSize)
        let status = unsafe CMBufferQueueCreateWithHandlers(nil, capacity, &blocks, &queue)
        self = try created(queue, status)
    }
}

extension CMBufferQueue {
    public static var typeID: CFTypeID { CMBufferQueueGetTypeID() }

    /// The errors of the functions.
    public struct Error {
        public static var allocationFailed: NSError { failure(kCMBufferQueueError_AllocationFailed) }
        public static var requiredParameterMissing: NSError { failure(kCMBufferQueueError_RequiredParameterMissing) }
        public static var invalidCMBufferCallbacksStruct: NSError {
            failure(kCMBufferQueueError_InvalidCMBufferCallbacksStruct)
        }
        public static var enqueueAfterEndOfData: NSError { failure(kCMBufferQueueError_EnqueueAfterEndOfData) }
        public static var queueIsFull: NSError { failure(kCMBufferQueueError_QueueIsFull) }
        public static var badTriggerDuration: NSError { failure(kCMBufferQueueError_BadTriggerDuration) }
        public static var cannotModifyQueueFromTriggerCallback: NSError {
            failure(kCMBufferQueueError_CannotModifyQueueFromTriggerCallback)
        }
        public static var invalidTriggerCondition: NSError { failure(kCMBufferQueueError_InvalidTriggerCondition) }
        public static var invalidTriggerToken: NSError { failure(kCMBufferQueueError_InvalidTriggerToken) }
        public static var invalidBuffer: NSError { failure(kCMBufferQueueError_InvalidBuffer) }
    }

    public func enqueue(_ buffer: CMBuffer) throws { try check(CMBufferQueueEnqueue(self, buffer: buffer)) }

    /// Removes and returns the first buffer; nil if the queue is empty. `as!` casts the result to `CMSampleBuffer`.
    public func dequeue() -> Any? { CMBufferQueueDequeue(self) }
    @_disfavoredOverload
    public func dequeue() -> CMBuffer? { CMBufferQueueDequeue(self) }

    /// Like `dequeue()`, and nil if the first buffer is not ready.
    public func dequeueIfDataReady() -> Any? { CMBufferQueueDequeueIfDataReady(self) }
    @_disfavoredOverload
    public func dequeueIfDataReady() -> CMBuffer? { CMBufferQueueDequeueIfDataReady(self) }

    /// The first buffer; nil if the queue is empty.
    public var head: Any? { CMBufferQueueCopyHead(self) }

    /// All buffers in order, at the time of the call.
    public var buffers: Buffers {
        let copies = Copies()
        unsafe CMBufferQueueCallForEachBuffer(
            self,
            callback: { buffer, refcon in
                guard let refcon = unsafe refcon else { return OSStatus(paramErr) }
                unsafe Unmanaged<Copies>.fromOpaque(refcon).takeUnretainedValue().buffers.append(typed(buffer))
                return noErr
            }, refcon: Unmanaged.passUnretained(copies).toOpaque())
        return Buffers(copies: copies.buffers)
    }

    private final class Copies { var buffers: [Any] = [] }

    public struct Buffers: Sequence {
        fileprivate let copies: [Any]

        public func makeIterator() -> IndexingIterator<[Any]> { copies.makeIterator() }
    }

    /// Marks the end of data. Nothing more can be enqueued before a reset.
    public func markEndOfData() throws { try check(CMBufferQueueMarkEndOfData(self)) }

    /// Empties the queue, and removes the mark of the end.
    public func reset() throws { try check(CMBufferQueueReset(self)) }

    /// Empties the queue, and passes each buffer to `body`, also after `body` has thrown an error. Throws the first error.
    public func reset(_ body: (Any) throws -> Void) throws {
        let removed = Copies()
        try check(
            unsafe CMBufferQueueResetWithCallback(
                self,
                callback: { buffer, refcon in
                    guard let refcon = unsafe refcon else { return }
                    unsafe Unmanaged<Copies>.fromOpaque(refcon).takeUnretainedValue().buffers.append(typed(buffer))
                }, refcon: Unmanaged.passUnretained(removed).toOpaque()))
        let errors = removed.buffers.compactMap { buffer in Result { try body(buffer) }.failure }
        if let error = errors.first { throw error }
    }

    /// Sets a function that validates buffers. `enqueue` throws an error of the same status if the function throws.
    public func setValidationHandler(_ body: @escaping (CMBufferQueue, Any) throws -> Void) {
        // The function refuses only a missing queue or handler.
        _ = CMBufferQueueSetValidationHandler(self) { queue, buffer in
            reportedStatus { try body(queue, typed(buffer)) }
        }
    }

    public var isEmpty: Bool { CMBufferQueueIsEmpty(self) }
    public var containsEndOfData: Bool { CMBufferQueueContainsEndOfData(self) }
    /// True if the end is marked and the queue is empty.
    public var isAtEndOfData: Bool { CMBufferQueueIsAtEndOfData(self) }
    public var bufferCount: CMItemCount { CMBufferQueueGetBufferCount(self) }
    /// The sum of all numeric durations.
    public var duration: CMTime { CMBufferQueueGetDuration(self) }
    public var minDecodeTimeStamp: CMTime { CMBufferQueueGetMinDecodeTimeStamp(self) }
    public var firstDecodeTimeStamp: CMTime { CMBufferQueueGetFirstDecodeTimeStamp(self) }
    public var minPresentationTimeStamp: CMTime { CMBufferQueueGetMinPresentationTimeStamp(self) }
    public var firstPresentationTimeStamp: CMTime { CMBufferQueueGetFirstPresentationTimeStamp(self) }
    public var maxPresentationTimeStamp: CMTime { CMBufferQueueGetMaxPresentationTimeStamp(self) }
    public var endPresentationTimeStamp: CMTime { CMBufferQueueGetEndPresentationTimeStamp(self) }
    public var totalSize: Int { CMBufferQueueGetTotalSize(self) }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
