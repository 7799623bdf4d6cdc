private import Synchronization

/// The kind of program that calls this module: a Swift program, or the command `nalu`, whose error messages name its
/// options.
package enum Caller {
    private static let isCommand = Atomic(false)

    /// Declares the whole process to be the command `nalu`.
    package static func becomeCommand() {
        isCommand.store(true, ordering: .relaxed)
    }

    static var face: Face { isCommand.load(ordering: .relaxed) ? .command : .swift }
}
