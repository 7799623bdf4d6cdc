private import NaluLibc

/// How many threads a decoder gets where nobody says.
enum Processors {
    static var count: Int32 {
        #if canImport(Darwin)
            let count = sysconf(_SC_NPROCESSORS_ONLN)
        #else
            let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        #endif
        return Int32(min(max(count, 1), 16))
    }
}
