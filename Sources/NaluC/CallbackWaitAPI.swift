// callback_wait.h: waits inside callbacks.

internal import CNalu
internal import NaluBase

@c @implementation
public func nalu_callback_allow_waits(_ allowed: Int32) {
    CallbackWaits.allow(allowed != 0)
}
