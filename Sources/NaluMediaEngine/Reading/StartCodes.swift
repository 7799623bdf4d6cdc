internal import NaluBitstream

/// Start codes inside the units of length-prefixed samples, where none can be by the standard (ITU-T H.264 7.4.1): some phones
/// write a length before several units of Annex B.
enum StartCodes {
    /// What is one unit from `position` on, without the zeros after it, and where the next one begins: at the end, when no
    /// start code follows.
    static func piece(of unit: UnsafeRawBufferPointer, from position: Int) -> (end: Int, next: Int) {
        guard let base = unit.baseAddress else { return (0, 0) }
        let code = unsafe StartCodeScanner.nextStartCode(base, from: position, count: unit.count)
        guard code < unit.count else { return (code, code) }
        var end = code
        while end > position, unsafe unit[end - 1] == 0 { end -= 1 }
        return (end, code + 3)
    }
}
