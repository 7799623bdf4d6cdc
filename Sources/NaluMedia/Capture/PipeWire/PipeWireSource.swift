internal import CPipeWire
internal import Nalu
internal import NaluBase

/// Captures from a camera or microphone of PipeWire, or from a screen that a portal shares.
struct PipeWireSource: CaptureSource {
    /// The origin of the pictures or of the audio.
    enum Target {
        case camera(String), microphone(String)
        /// A node on a connection of its own. The source owns the descriptor.
        case screen(node: UInt32, descriptor: Int32)

        /// The name in messages.
        var name: String {
            switch self {
            case .camera(let name): "the camera \(name)"
            case .microphone(let name): "the microphone \(name)"
            case .screen: "the screen"
            }
        }

        var isMicrophone: Bool { if case .microphone = self { true } else { false } }
    }

    private let target: Target
    private let request: CaptureRequest
    private let channelCount: Int
    private let formats: [CameraFormat]

    init(_ target: Target, _ request: CaptureRequest, channelCount: Int = 2, formats: [CameraFormat]) {
        self.target = target
        self.request = request
        self.channelCount = channelCount
        self.formats = formats
    }

    func run(_ sink: CaptureSink) throws(NaluError) {
        let receiver = PipeWireReceiver(sink, isMicrophone: target.isMicrophone)
        var callbacks = PipeWireReceiver.callbacks
        var failure: NaluError?
        unsafe withUnsafePointer(to: &callbacks) { callbacks in
            do throws(NaluError) {
                try unsafe capture(sink, receiver, callbacks)
            } catch {
                failure = error
            }
        }
        withExtendedLifetime(receiver) {}
        if let failure { throw failure }
    }

    private func capture(
        _ sink: CaptureSink, _ receiver: PipeWireReceiver, _ callbacks: UnsafePointer<nalu_pw_callbacks>
    ) throws(NaluError) {
        var capture: OpaquePointer?
        let refcon = unsafe Unmanaged.passUnretained(receiver).toOpaque()
        var result: Int32 = 0
        var wanted = wanted
        var message = unsafe PipeWireText.written {
            switch target {
            case .camera(let name), .microphone(let name):
                result = unsafe nalu_pw_capture_open(
                    name, &wanted, callbacks, refcon, PipeWireProvider.patience, &capture, $0)
            case .screen(let node, let descriptor):
                result = unsafe nalu_pw_capture_open_remote(
                    descriptor, node, &wanted, callbacks, refcon, PipeWireProvider.patience, &capture, $0)
            }
        }
        guard result == 0, let capture = unsafe capture else { throw PipeWireText.error(result, message) }
        defer { unsafe nalu_pw_capture_close(capture) }
        let descriptor = unsafe nalu_pw_capture_get_descriptor(capture)
        while sink.wait(for: descriptor, until: MonotonicClock.nanoseconds + 1_000_000_000) != nil {
            message = unsafe PipeWireText.written { result = unsafe nalu_pw_capture_iterate(capture, $0) }
            if let failure = receiver.failure { throw failure }
            guard result == 0 else {
                let error = PipeWireText.error(result, message)
                throw NaluError(error.status, "\(target.name) stopped: \(error.message)")
            }
        }
    }

    /// Returns what the request demands, or the closest size and rate that the device has.
    private var wanted: nalu_pw_request {
        var wanted = nalu_pw_request()
        wanted.is_microphone = target.isMicrophone ? 1 : 0
        wanted.sample_rate = Int32(clamping: request.sampleRate)
        wanted.channel_count = Int32(clamping: channelCount)
        wanted.pixel_format = request.pixelFormat?.rawValue ?? 0
        if let chosen = CameraFormat.choose(request, from: formats) {
            (wanted.width, wanted.height) = (Int32(clamping: chosen.width), Int32(clamping: chosen.height))
            wanted.prefers_compressed = chosen.format.isCompressed ? 1 : 0
        }
        if let duration = request.frameDuration, let denominator = Int32(exactly: duration.value) {
            wanted.rate = (duration.timescale, denominator)
        }
        return wanted
    }
}
