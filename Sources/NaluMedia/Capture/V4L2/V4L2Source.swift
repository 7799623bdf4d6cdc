internal import CCamera
internal import CV4L2
internal import Nalu
internal import NaluBase

/// Captures from a V4L2 camera. Pictures are read from memory that is shared with the driver. The capture begins with the
/// first picture, so that the start of a session fails if a camera has none.
struct V4L2Source: CaptureSource {
    private let path: String
    private let request: CaptureRequest
    private let formats: [CameraFormat]

    init(path: String, _ request: CaptureRequest, formats: [CameraFormat]) {
        self.path = path
        self.request = request
        self.formats = formats
    }

    func run(_ sink: CaptureSink) throws(NaluError) {
        guard let chosen = CameraFormat.choose(request, from: formats) else {
            throw NaluError(
                .unsupportedDataFormat,
                "the camera \(path) has no format that is supported; expected YUV, grey, RGB or Motion JPEG")
        }
        var wanted = nalu_v4l2_request()
        wanted.code = chosen.format.code
        wanted.width = Int32(clamping: chosen.width)
        wanted.height = Int32(clamping: chosen.height)
        if let duration = request.frameDuration, let numerator = UInt32(exactly: duration.value) {
            wanted.duration = (numerator, UInt32(clamping: duration.timescale))
        }
        var camera: OpaquePointer?
        var choice = nalu_v4l2_choice()
        var result: Int32 = 0
        let message = unsafe CText.written(Int(NALU_V4L2_MESSAGE)) { message, _ in
            result = unsafe nalu_v4l2_open(path, &wanted, &camera, &choice, message)
        }
        guard result == 0, let camera = unsafe camera else { throw Self.error(result, message) }
        defer { unsafe nalu_v4l2_close(camera) }

        let video = CaptureVideoFormat(
            CameraReceiver.pixelFormat(choice.pixel_format), width: Int(choice.width), height: Int(choice.height),
            frameDuration: CameraFormat.time(choice.duration))
        let receiver = try CameraReceiver(
            sink, code: choice.pixel_format, video, isFullRange: choice.is_full_range,
            matrix: Int(choice.matrix))
        let descriptor = unsafe nalu_v4l2_get_descriptor(camera)
        sink.awaitFirstPicture(of: "the camera \(path)")
        var hasBegun = false
        // A camera without pictures is asked each second whether it still exists.
        while sink.wait(for: descriptor, until: MonotonicClock.nanoseconds + 1_000_000_000) != nil {
            try unsafe next(camera, receiver, &hasBegun)
        }
    }

    /// Delivers the next picture, if there is one.
    private func next(
        _ camera: OpaquePointer, _ receiver: CameraReceiver, _ hasBegun: inout Bool
    ) throws(NaluError) {
        var picture = unsafe nalu_camera_picture()
        var result: Int32 = 0
        var message = unsafe CText.written(Int(NALU_V4L2_MESSAGE)) { message, _ in
            unsafe result = nalu_v4l2_next(camera, &picture, message)
        }
        if result < 0 { throw stopped(result, message) }
        guard result > 0 else { return }
        if !hasBegun { try receiver.begin() }
        hasBegun = true
        try unsafe receiver.deliver(&picture)
        message = unsafe CText.written(Int(NALU_V4L2_MESSAGE)) { message, _ in
            result = unsafe nalu_v4l2_release(camera, message)
        }
        if result < 0 { throw stopped(result, message) }
    }

    private func stopped(_ result: Int32, _ message: String) -> NaluError {
        let error = Self.error(result, message)
        return NaluError(error.status, "the camera \(path) stopped: \(error.message)")
    }

    private static func error(_ result: Int32, _ message: String) -> NaluError {
        NaluError(result == Int32(NALU_V4L2_UNSUPPORTED) ? .unsupportedDataFormat : .inputOutput, message)
    }
}
