internal import CPipeWire
internal import Nalu

/// Passes pictures and audio of PipeWire to a sink. Used only by the source's thread.
final class PipeWireReceiver {
    private let sink: CaptureSink
    private let isMicrophone: Bool
    private var video: CaptureVideoFormat?
    /// The decoder of compressed pictures; nil for others.
    private var decoder: MJPEGDecoder?
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
            audio: { refcon, samples, count, time in
                guard let samples = unsafe samples else { return }
                unsafe PipeWireReceiver.receiver(refcon)?.deliver(samples, Int(count), time)
            },
            missed: { refcon, count in unsafe PipeWireReceiver.receiver(refcon)?.sink.noteMissed(count) })
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
            var video = CaptureVideoFormat(format)
            decoder = format.pixel_format == NALU_PW_MJPEG ? try MJPEGDecoder(sink.request.pixelFormat) : nil
            if let decoder { video.pixelFormat = decoder.format }
            self.video = video
            try sink.begin(video: video, audio: nil)
        }
    }

    private func deliver(_ picture: UnsafePointer<nalu_pw_picture>) {
        attempt { () throws(NaluError) in
            guard let video else { return }
            let time = unsafe picture.pointee.time
            if let decoder {
                let bytes = unsafe UnsafeBufferPointer(
                    start: picture.pointee.data?.assumingMemoryBound(to: UInt8.self),
                    count: Int(clamping: picture.pointee.size))
                let image = unsafe decoder.decode(
                    bytes.span, width: video.widths.lowerBound, height: video.heights.lowerBound)
                guard let image else { return sink.noteMissed(1) }
                return try sink.deliver(copying: image.view, at: time)
            }
            let view = try unsafe PixelView.validated(
                format: video.pixelFormat, width: video.widths.lowerBound, height: video.heights.lowerBound,
                planeCount: Int(picture.pointee.plane_count), planes: nalu_pw_get_planes(picture),
                strides: nalu_pw_get_strides(picture), planeSizes: nalu_pw_get_sizes(picture))
            try sink.deliver(copying: view, at: time)
        }
    }

    private func deliver(_ samples: UnsafePointer<Float>, _ frameCount: Int, _ time: Int64) {
        guard failure == nil, channelCount > 0, frameCount > 0 else { return }
        unsafe sink.deliver(audio: UnsafeBufferPointer(start: samples, count: frameCount * channelCount), at: time)
    }
}
