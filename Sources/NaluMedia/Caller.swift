private import Synchronization

/// Who calls this module: programs in Swift, or the command `nalu`, whose sentences name its options.
package enum Caller {
    private static let isCommand = Atomic(false)

    /// For the whole process.
    package static func becomeCommand() {
        isCommand.store(true, ordering: .relaxed)
    }

    static var face: Face { isCommand.load(ordering: .relaxed) ? .command : .swift }
}
