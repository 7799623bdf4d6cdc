internal import Nalu
internal import NaluBase

/// The state of a watcher; guarded by its monitor.
struct WatcherState: ThreadedSessionState {
    var isInvalid = false
    var hasWorker = false
    var workerIsDone = false
    let stopSignal: StopSignal

    mutating func invalidate() {
        isInvalid = true
        stopSignal.raise()
    }
}

/// The thread of a ``CaptureDeviceWatcher``.
final class WatcherCore: ThreadedSession {
    let monitor: Monitor<WatcherState>
    private let kinds: CaptureDevice.Kinds
    private let handler: @Sendable (CaptureDevice, Bool) -> Void
    private let onFinish: (@Sendable () -> Void)?
    private let stopSignal: StopSignal

    /// The time between two looks at the devices, in nanoseconds.
    private static let interval: Int64 = 500_000_000

    var identity: UInt { UInt(bitPattern: ObjectIdentifier(monitor)) }

    init(
        _ kinds: CaptureDevice.Kinds, _ handler: @escaping @Sendable (CaptureDevice, Bool) -> Void,
        _ onFinish: (@Sendable () -> Void)?
    ) throws(NaluError) {
        stopSignal = try StopSignal()
        self.kinds = kinds
        self.handler = handler
        self.onFinish = onFinish
        monitor = Monitor(WatcherState(stopSignal: stopSignal))
    }

    static func releaseHandler(_ monitor: Monitor<WatcherState>) {}

    func start() throws(NaluError) {
        try monitor.locked { $0.hasWorker = true }
        do throws(NaluError) {
            try WorkerThread.start(of: identity) { [self] in run() }
        } catch {
            try monitor.locked { $0.hasWorker = false }
            throw error
        }
    }

    func end() {
        try? invalidate(isRelease: true, as: "")
    }

    private func run() {
        var known: [CaptureDevice] = []
        let look = CaptureDevices.observer(kinds)
        repeat {
            let present = look()
            for device in known where !present.contains(where: { $0.id == device.id }) { report(device, false) }
            for device in present where !known.contains(where: { $0.id == device.id }) { report(device, true) }
            known = present
        } while stopSignal.wait(until: MonotonicClock.nanoseconds + Self.interval) == .time
        onFinish?()
        try? monitor.locked { state in
            state.workerIsDone = true
            monitor.wake(.progress)
        }
    }

    private func report(_ device: CaptureDevice, _ isPresent: Bool) {
        guard (try? monitor.locked { $0.isInvalid }) == false else { return }
        handler(device, isPresent)
    }
}
