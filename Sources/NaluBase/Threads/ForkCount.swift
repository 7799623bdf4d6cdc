private import NaluLibc
private import Synchronization

/// How many forks lie between this process and the one that loaded the library. A child of a fork has the memory of its
/// parent's sessions and none of their threads, and a lock may be held in it for ever.
enum ForkCount {
    private static let count = Atomic<UInt32>(0)

    private static let isWatched =
        pthread_atfork(nil, nil) {
            ForkCount.count.wrappingAdd(1, ordering: .relaxed)
        } == 0

    /// Counts from the first look on.
    static var current: UInt32 {
        count.load(ordering: .relaxed)
    }

    static func watch() {
        _ = isWatched
    }
}
