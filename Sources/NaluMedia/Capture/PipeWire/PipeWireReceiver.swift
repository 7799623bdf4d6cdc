internal import CCamera
internal import CPipeWire
internal import Nalu

/// Passes pictures and audio of PipeWire to a sink. Used only by the source's thread.
final class PipeWireReceiver {
    private let sink: CaptureSink
    private let isMicrophone: Bool
    /// The receiver of pictures; nil before the first format.
    private var camera: CameraReceiver?
    private var channelCount = 0
    /// The reason for which capture must end.
    private(set) var failure: NaluError?

    init(_ sink: CaptureSink, isMicrophone: Bool) {
        self.sink = sink
        self.isMicrophone = isMicrophone
    }

    /// The functions that PipeWire's events call with the receiver as their refcon.
    static var callbacks: nalu_pw_callbacks {
        unsafe nalu_pw_callbacks(
            format: { refcon, format in
                guard let format = unsafe format?.pointee else { return }
                unsafe PipeWireReceiver.receiver(refcon)?.begin(format)
            },
            picture: { refcon, picture in
                guard let picture = unsafe picture else { return }
                unsafe PipeWireReceiver.receiver(refcon)?.deliver(picture)
            },
            audio: { refcon, samples, count, lost, time in
                guard let samples = unsafe samples else { return }
                unsafe PipeWireReceiver.receiver(refcon)?.deliver(samples, Int(count), lost: Int(lost), time)
            })
    }

    @unsafe
    private static func receiver(_ refcon: UnsafeMutableRawPointer?) -> PipeWireReceiver? {
        unsafe refcon.map { unsafe Unmanaged<PipeWireReceiver>.fromOpaque($0).takeUnretainedValue() }
    }

    private func attempt(_ body: () throws(NaluError) -> Void) {
        guard failure == nil else { return }
        do throws(NaluError) { try body() } catch { failure = error }
    }

    private func begin(_ format: nalu_pw_format) {
        attempt { () throws(NaluError) in
            guard !isMicrophone else {
                let audio = CaptureAudioFormat(
                    sampleRate: Int(format.sample_rate), channelCount: Int(format.channel_count))
                channelCount = audio.channelCount
                return try sink.begin(video: nil, audio: audio)
            }
            let camera = try CameraReceiver(
                sink, code: format.pixel_format, CaptureVideoFormat(format), isFullRange: format.is_full_range != 0,
                matrix: Int(format.matrix))
            try camera.begin()
            self.camera = camera
        }
    }

    private func deliver(_ picture: UnsafePointer<nalu_camera_picture>) {
        attempt { () throws(NaluError) in try unsafe camera?.deliver(picture) }
    }

    private func deliver(_ samples: UnsafePointer<Float>, _ frameCount: Int, lost: Int, _ time: Int64) {
        guard failure == nil, channelCount > 0, frameCount > 0 else { return }
        if lost > 0 { sink.noteLostAudio(lost) }
        unsafe sink.deliver(audio: UnsafeBufferPointer(start: samples, count: frameCount * channelCount), at: time)
    }
}
