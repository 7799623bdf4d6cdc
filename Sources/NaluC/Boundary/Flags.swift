internal import NaluBase

/// A client's flags, all of them known.
struct Flags {
    private let bits: UInt32

    /// Throws `.parameter` for a flag that is not among `known`.
    ///
    /// - Parameters:
    ///   - name: the argument in error messages.
    ///   - constants: the known flag, or the beginning of the names of several, for error messages.
    init(_ bits: UInt32, _ name: StaticString, among known: Int, _ constants: StaticString) throws(NaluError) {
        let known = UInt32(known)
        guard bits & ~known == 0 else {
            let expected = known.nonzeroBitCount == 1 ? "or 0" : "flags, at most \(known)"
            throw NaluError(.parameter, "\(name) is \(bits); expected \(constants) \(expected)")
        }
        self.bits = bits
    }

    /// Whether the client has set a flag.
    subscript(flag: Int) -> Bool { bits & UInt32(flag) != 0 }
}
