public import Nalu
internal import NaluBase

/// Reports devices that arrive and leave, on a thread of its own. The first calls report the devices that are present.
public final class CaptureDeviceWatcher: Sendable {
    private let core: WatcherCore
    private let clientReferences = ClientReferences()

    /// - Parameters:
    ///   - kinds: the kinds of devices to report.
    ///   - handler: receives a device, and true if it has arrived or false if it has left. Calls never overlap.
    ///
    /// Throws `.parameter` without kinds, and `.allocationFailed` if no thread can be started.
    public convenience init(
        kinds: CaptureDevice.Kinds = .all, handler: @escaping @Sendable (CaptureDevice, _ isPresent: Bool) -> Void
    ) throws(NaluError) {
        try self.init(kinds: kinds, onFinish: nil, handler: handler)
    }

    /// Creates a watcher with a function that runs once, after the last call of the handler.
    package init(
        kinds: CaptureDevice.Kinds, onFinish: (@Sendable () -> Void)?,
        handler: @escaping @Sendable (CaptureDevice, Bool) -> Void
    ) throws(NaluError) {
        try kinds.check()
        core = try WatcherCore(kinds, handler, onFinish)
        try core.start()
    }

    deinit {
        core.end()
    }

    /// Ends the watcher. Waits for the call in progress, except inside the handler. Releasing the watcher does the same.
    public func stop() {
        core.end()
    }

    package func retainedByClient() { clientReferences.retain() }

    package func releasedByClient() {
        if clientReferences.release() { core.end() }
    }
}

extension CaptureDevice.Kinds {
    /// Throws `.parameter` for no kind and for unknown bits.
    package func check() throws(NaluError) {
        guard !isEmpty, Self.all.isSuperset(of: self) else {
            throw NaluError(.parameter, "kinds is \(rawValue); expected NALU_CAPTURE_ bits, 1 to \(Self.all.rawValue)")
        }
    }
}
