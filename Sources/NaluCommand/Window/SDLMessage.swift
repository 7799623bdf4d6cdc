/// The messages of functions that fill a buffer with text.
enum SDLMessage {
    /// Calls `body` with a buffer and its capacity, and returns the text that `body` wrote.
    static func written(_ body: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
            unsafe buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return "" }
            unsafe body(start, buffer.count)
            return unsafe String(cString: start)
        }
    }
}
