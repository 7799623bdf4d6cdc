internal import CX265
private import NaluLibc

/// The threads that x265 3.5 starts when it is opened. Later it starts none.
enum X265Threads {
    /// Returns the most threads of an encoder with these parameters: a pool with one for each processor, and those of frames.
    static func most(_ parameters: x265_param) -> Int32 {
        let processors = Int32(clamping: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let frames = unsafe parameters.frameNumThreads
        return unsafe (parameters.bEnableWavefront != 0 ? processors : 0)
            + (frames > 0 ? frames : automaticFrameThreads(processors, parameters.sourceHeight))
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

    /// The number of frames that x265 encodes at the same time if no parameter states it.
    private static func automaticFrameThreads(_ processors: Int32, _ height: Int32) -> Int32 {
        switch processors {
        case 32...: height > 2000 ? 6 : 5
        case 16...: 4
        case 8...: 3
        case 4...: 2
        default: 1
        }
    }
}
