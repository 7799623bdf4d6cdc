#if Serve
    internal import Nalu
    internal import NaluBase
    internal import NaluMedia

    /// The pictures of a capture device.
    final class CaptureLiveFrames: LiveFrames {
        let name: String
        let frameRate: Double?
        private let device: CaptureDevice
        private let options: CaptureSession.Options
        private let permission: ScreenPermission?
        private let session = Guarded<CaptureSession?>(nil)

        var signal: [(key: PropertyKey, value: PropertyValue?)] {
            session.withLock { $0 }?.videoFormat?.signal ?? []
        }

        init(_ device: CaptureDevice, _ pictures: PictureOptions) throws(Failure) {
            self.device = device
            name = device.name
            options = try pictures.session()
            permission = pictures.screenPermission
            frameRate = pictures.rate.perSecond
        }

        func start(
            frame: @escaping @Sendable (LivePixels, Int64) -> Void, end: @escaping @Sendable (any Error) -> Void
        ) throws {
            let capture: CaptureSession
            do {
                capture = try CaptureSession(
                    device: device, options: options,
                    video: { frame(.kept($0.buffer), $0.time.value / 1000) }, end: { end($0) })
                // Pictures can arrive before `start` returns, and need their format.
                session.withLock { $0 = capture }
                try capture.start()
            } catch {
                throw Failure(ofSettings: error)
            }
            try permission?.write(tokenOf: capture)
        }

        func stop() {
            // Outside of its handlers a session can always be stopped.
            try? session.withLock { $0 }?.stop()
        }
    }
#endif
