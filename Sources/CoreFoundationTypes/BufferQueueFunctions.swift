public import CCoreMedia

// The functions that return the buffers of a queue. Swift on Linux does not cast a CoreFoundation object of the static
// type `AnyObject` to its class. So the preferred forms return `Any` with a value of that class, which `as!` casts. The
// forms that return `CMBuffer` are for programs that pass the result to CoreFoundation's functions. The C header documents
// the functions.

public func CMBufferQueueDequeue(_ queue: CMBufferQueue) -> Any? { __CMBufferQueueDequeue(queue).map(typed) }
@_disfavoredOverload
public func CMBufferQueueDequeue(_ queue: CMBufferQueue) -> CMBuffer? { __CMBufferQueueDequeue(queue) }

public func CMBufferQueueDequeueIfDataReady(_ queue: CMBufferQueue) -> Any? {
    __CMBufferQueueDequeueIfDataReady(queue).map(typed)
}
@_disfavoredOverload
public func CMBufferQueueDequeueIfDataReady(_ queue: CMBufferQueue) -> CMBuffer? {
    __CMBufferQueueDequeueIfDataReady(queue)
}

public func CMBufferQueueGetHead(_ queue: CMBufferQueue) -> Any? { __CMBufferQueueGetHead(queue).map(typed) }
@_disfavoredOverload
public func CMBufferQueueGetHead(_ queue: CMBufferQueue) -> CMBuffer? { __CMBufferQueueGetHead(queue) }

public func CMBufferQueueCopyHead(_ queue: CMBufferQueue) -> Any? { __CMBufferQueueCopyHead(queue).map(typed) }
@_disfavoredOverload
public func CMBufferQueueCopyHead(_ queue: CMBufferQueue) -> CMBuffer? { __CMBufferQueueCopyHead(queue) }
