internal import CNalu

/// ``CallbackWaits`` of libnalu, which follows the waits for the sessions of both libraries: the copy of NaluBase in this one
/// would not know of compression sessions.
enum SharedCallbackWaits {
    /// In a thread that calls a client.
    static func enterThread(of session: UInt) {
        unsafe nalu_callback_thread_set_owner(UnsafeRawPointer(bitPattern: session))
    }

    static func begin(for session: UInt) -> Bool {
        unsafe nalu_callback_wait_begin(UnsafeRawPointer(bitPattern: session)) == 1
    }

    static func end() {
        nalu_callback_wait_end()
    }
}
