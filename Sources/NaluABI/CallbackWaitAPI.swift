// callback_wait.h: circles of waits, for other libraries.

internal import CNalu
internal import NaluBase

@c @implementation
public func nalu_callback_thread_set_owner(_ owner: UnsafeRawPointer?) {
    WorkerThread.setCurrentSession(UInt(bitPattern: owner))
}

@c @implementation
public func nalu_callback_wait_begin(_ owner: UnsafeRawPointer?) -> Int32 {
    CallbackWaits.begin(for: UInt(bitPattern: owner)) ? 1 : 0
}

@c @implementation
public func nalu_callback_wait_end() {
    CallbackWaits.end()
}
