internal import CX265
private import NaluLibc

/// The threads that x265 3.5 starts when it is opened. Later it starts none.
enum X265Threads {
    private static let mostFrameThreads = Int32(X265_MAX_FRAME_THREADS)
    /// The fewest columns of coding tree units with which x265 encodes several rows at once.
    private static let leastColumns: Int32 = 3

    /// The processors of the system, at least 1. libnuma, which x265 asks if no parameter states a number, has no processor in
    /// a container that forbids get_mempolicy, and those of the host in a container that has fewer.
    static var processors: Int32 { Int32(clamping: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Returns the most threads of an encoder with these parameters, which state the size of the pool and the frame threads.
    static func most(_ parameters: x265_param) -> Int32 {
        let pool = unsafe parameters.numaPools.map { unsafe String(cString: $0) } ?? ""
        return unsafe (Int32(pool) ?? 0) + parameters.frameNumThreads
    }

    /// Returns the number of frames that x265 encodes at the same time with a pool of `processors` threads.
    static func frameThreads(_ parameters: x265_param, processors: Int32) -> Int32 {
        let unit = unsafe Int32(parameters.maxCUSize)
        let columns = unsafe (parameters.sourceWidth + unit - 1) / unit
        let rows = unsafe (parameters.sourceHeight + unit - 1) / unit
        guard rows > 1, columns >= leastColumns else { return min(processors, (rows + 1) / 2, mostFrameThreads) }
        return switch processors {
        case 32...: unsafe parameters.sourceHeight > 2000 ? 6 : 5
        case 16...: 4
        case 8...: 3
        case 4...: 2
        default: 1
        }
    }

    /// Opens an encoder. Throws `.allocationFailed` if not all of its threads can be created.
    static func open(
        _ api: UnsafePointer<x265_api>, _ parameters: UnsafeMutablePointer<x265_param>
    ) throws(NaluError) -> OpaquePointer? {
        let count = unsafe most(parameters.pointee)
        var error: Int32 = 0
        // x265 starts its threads when it is opened.
        let encoder = unsafe try InheritedState.hidden { () throws(NaluError) in
            unsafe nalu_x265_open(api, parameters, count, &error)
        }
        guard error == 0 else {
            throw NaluError(
                .allocationFailed,
                "x265 needs \(count) threads, and not all can be started: error \(error) of pthread_create; raise the "
                    + "process's limit of threads (RLIMIT_NPROC, or pids.max of its control group) or of memory")
        }
        return unsafe encoder
    }
}
