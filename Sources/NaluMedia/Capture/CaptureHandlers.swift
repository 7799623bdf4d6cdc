internal import Nalu
private import Synchronization

/// The client's handlers. The session and each of its runs own them; the last owner notifies the client.
final class CaptureHandlers: Sendable {
    let video: (@Sendable (CaptureSession.Frame) -> Void)?
    let audio: (@Sendable (CaptureSession.AudioBlock) -> Void)?
    let end: (@Sendable (NaluError) -> Void)?
    private let onFinish: (@Sendable () -> Void)?
    private let owners = Atomic<Int>(1)

    init(
        video: (@Sendable (CaptureSession.Frame) -> Void)?, audio: (@Sendable (CaptureSession.AudioBlock) -> Void)?,
        end: (@Sendable (NaluError) -> Void)?, onFinish: (@Sendable () -> Void)?
    ) {
        self.video = video
        self.audio = audio
        self.end = end
        self.onFinish = onFinish
    }

    /// The number of the session for ``WorkerThread`` and ``CallbackWaits``.
    var identity: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

    func addOwner() {
        owners.wrappingAdd(1, ordering: .relaxed)
    }

    /// Notes that an owner makes no further calls. The last owner's call runs the client's function.
    func removeOwner() {
        if owners.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onFinish?() }
    }
}
