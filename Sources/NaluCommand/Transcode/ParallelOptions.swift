internal import ArgumentParser

/// The options to encode a video in chunks with several workers.
struct ParallelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Encode in chunks, by this number of threads, in two passes. Needs --bit-rate.",
            valueName: "number"))
    var workers: Int?

    @Option(
        help: ArgumentHelp(
            "Encode in chunks, by the workers of the Dask cluster whose scheduler has this address, such as tcp://10.0.0.1:8786. Needs --bit-rate and the Python package nalu-video.",
            valueName: "address"))
    var dask: String?

    @Flag(help: "With --workers or --dask: continue with the finished chunks of a run that failed or was interrupted.")
    var resume = false

    /// The option that selects chunks; nil if neither is present.
    var name: String? { workers != nil ? "--workers" : dask != nil ? "--dask" : nil }

    func validate() throws {
        if let workers, workers < 1 { throw ValidationError("--workers is \(workers); expected 1 or more") }
        if workers != nil && dask != nil {
            throw ValidationError("--workers and --dask exclude each other; leave one out")
        }
        if resume && name == nil { throw ValidationError("--resume is for --workers and --dask; add one of them") }
    }
}
