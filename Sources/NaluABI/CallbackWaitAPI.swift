// callback_wait.h: waits inside callbacks.

internal import CNalu
internal import NaluBase

@c @implementation
public func nalu_callback_allow_waits(_ allowed: Int32) {
    CallbackWaits.allow(allowed != 0)
}

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
