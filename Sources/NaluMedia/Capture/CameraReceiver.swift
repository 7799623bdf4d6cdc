internal import CCamera
internal import Nalu

/// Passes the pictures of one format of a camera to a sink, and decodes compressed ones. Used only by the source's thread.
struct CameraReceiver {
    private let sink: CaptureSink
    private let video: CaptureVideoFormat
    /// The decoder of compressed pictures; nil for others.
    private let decoder: MJPEGDecoder?
    /// The format of the pictures in the device's memory. It differs from that of `video` for 4:2:2 in full range, which
    /// has no format in one plane.
    private let memoryFormat: PixelFormat
    private let transfer = PixelTransfer()

    /// Whether a code means compressed pictures instead of a pixel format.
    static func isCompressed(_ code: UInt32) -> Bool { code == NALU_CAMERA_MJPEG }

    /// Returns the format of the delivered pictures for a code.
    static func pixelFormat(_ code: UInt32) -> PixelFormat {
        isCompressed(code) ? MJPEGDecoder.format : PixelFormat(rawValue: code)
    }

    /// Prepares for pictures of one format. ``begin()`` must precede the first one.
    ///
    /// - Parameters:
    ///   - code: CoreVideo's code of the pictures, or that of compressed ones.
    ///   - format: one size and rate.
    ///   - isFullRange: whether YUV pictures are in full range. Motion JPEG always is, and RGB too.
    ///   - matrix: the code of ITU-T H.273 table 4 for YUV pictures; 0 if it is unknown. JPEG has that of BT.601 (JFIF 1.02).
    init(
        _ sink: CaptureSink, code: UInt32, _ format: CaptureVideoFormat, isFullRange: Bool, matrix: Int
    ) throws(NaluError) {
        var format = format
        decoder = Self.isCompressed(code) ? try MJPEGDecoder(sink.request.pixelFormat) : nil
        if let decoder {
            format.pixelFormat = decoder.format
            format.yCbCrMatrix = 6
        } else if isFullRange {
            format.pixelFormat = Self.fullRange(format.pixelFormat)
        }
        if [.nv12, .i420, .yuyv, .uyvy].contains(Self.pixelFormat(code)), matrix > 0 { format.yCbCrMatrix = matrix }
        let isPacked = isFullRange && [.yuyv, .uyvy].contains(Self.pixelFormat(code))
        memoryFormat = isPacked ? Self.pixelFormat(code) : format.pixelFormat
        self.sink = sink
        video = format
    }

    /// Returns the format in which pictures of `format` in full range are delivered.
    private static func fullRange(_ format: PixelFormat) -> PixelFormat {
        switch format {
        case .nv12, .yuyv, .uyvy: .nv12FullRange
        case .i420: .i420FullRange
        default: format
        }
    }

    /// States the format to the sink.
    func begin() throws(NaluError) {
        try sink.begin(video: video, audio: nil)
    }

    /// Delivers a copy of a picture, whose memory the caller can then return to the device.
    func deliver(_ picture: UnsafePointer<nalu_camera_picture>) throws(NaluError) {
        let (width, height) = (video.widths.lowerBound, video.heights.lowerBound)
        let stated = unsafe picture.pointee.time
        let time = sink.time(stated: stated > 0 ? stated : nil)
        sink.noteMissed(unsafe picture.pointee.missed)
        if let decoder {
            let bytes = unsafe UnsafeBufferPointer(
                start: picture.pointee.data?.assumingMemoryBound(to: UInt8.self),
                count: Int(clamping: picture.pointee.size))
            let image = unsafe decoder.decode(bytes.span, width: width, height: height)
            // A corrupt picture is dropped: many cameras send one at the beginning.
            guard let image else { return sink.noteMissed(1) }
            return try sink.deliver(copying: image.view, at: time)
        }
        let view = try unsafe PixelView.validated(
            format: memoryFormat, width: width, height: height, planeCount: Int(picture.pointee.plane_count),
            planes: nalu_camera_get_planes(picture), strides: nalu_camera_get_strides(picture),
            planeSizes: nalu_camera_get_sizes(picture))
        if memoryFormat == video.pixelFormat { return try sink.deliver(copying: view, at: time) }
        guard let buffer = try sink.makeBuffer() else { return }
        // The source's format means video range, so the target must be called that too: then no range is converted.
        try transfer.transfer(from: view, to: buffer.view.withoutRange, matrix: .automatic(height: height))
        try sink.deliver(buffer, at: time)
    }
}
