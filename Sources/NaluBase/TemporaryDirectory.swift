private import NaluLibc

/// The directory for temporary files.
package enum TemporaryDirectory {
    /// The directory that `TMPDIR` names, or /tmp.
    package static var path: String {
        let named = unsafe getenv("TMPDIR").map { unsafe String(path: $0) } ?? ""
        return named.isEmpty ? "/tmp" : named
    }
}
