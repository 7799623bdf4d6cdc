internal import CPipeWire
internal import Nalu

/// Provides cameras and microphones by PipeWire.
enum PipeWireProvider: CaptureProvider {
    static var kinds: CaptureDevice.Kinds { [.camera, .microphone] }

    /// The beginning of the identifiers, which the name of PipeWire's node follows.
    private static let prefix = "pipewire:"

    /// The time in milliseconds to wait for the server.
    static let patience: Int32 = 1800

    static func devices(_ kinds: CaptureDevice.Kinds) throws(NaluError) -> [CaptureDevice] {
        let list = PipeWireList()
        var result: Int32 = 0
        let message = unsafe PipeWireText.written { message in
            result = unsafe nalu_pw_list(
                patience, { refcon, device in unsafe PipeWireList.add(refcon, device) },
                Unmanaged.passUnretained(list).toOpaque(), message)
        }
        withExtendedLifetime(list) {}
        guard result == 0 else { throw PipeWireText.error(result, message) }
        let present = list.entries.filter { kinds.contains($0.isMicrophone ? .microphone : .camera) }
        return (present.filter(\.isDefault) + present.filter { !$0.isDefault }).map(device)
    }

    static func device(_ identifier: String) throws(NaluError) -> CaptureDevice? {
        guard identifier.hasPrefix(prefix) else { return nil }
        let present = try devices([.camera, .microphone])
        if let found = present.first(where: { $0.id == identifier }) { return found }
        let known = present.isEmpty ? "a connected device" : "one of \(present.map(\.id).joined(separator: ", "))"
        throw NaluError(
            .valueNotAvailable, "PipeWire has no device \"\(NaluError.excerpt(identifier))\"; expected \(known)")
    }

    private static func device(_ entry: PipeWireList.Entry) -> CaptureDevice {
        let name = entry.name
        let isMicrophone = entry.isMicrophone
        var video = entry.video
        var audio = entry.audio
        // A device that is in use may state no formats. PipeWire converts audio.
        if isMicrophone, audio.isEmpty { audio = [CaptureAudioFormat(sampleRate: 48_000, channelCount: 2)] }
        if !isMicrophone, video.isEmpty {
            let format = CaptureVideoFormat(
                .nv12, widths: 1...16384, heights: 1...16384, minimumFrameDuration: .invalid,
                maximumFrameDuration: .invalid)
            video = [CameraFormat(isCompressed: false, video: format)]
        }
        let channels = audio.first?.channelCount ?? 2
        let formats = video
        return CaptureDevice(
            id: prefix + name, name: entry.description, kind: isMicrophone ? .microphone : .camera,
            videoFormats: isMicrophone ? [] : video.distinctVideo, audioFormats: isMicrophone ? audio : []
        ) { request throws(NaluError) in
            PipeWireSource(
                isMicrophone ? .microphone(name) : .camera(name), request,
                channelCount: request.channelCount ?? min(channels, 2), formats: formats)
        }
    }
}

/// Text that CPipeWire writes, and errors made of it.
enum PipeWireText {
    static func written(_ fill: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        unsafe CText.written(Int(NALU_PW_MESSAGE)) { message, _ in unsafe fill(message) }
    }

    static func error(_ result: Int32, _ message: String) -> NaluError {
        switch result {
        case Int32(NALU_PW_NOT_INSTALLED): NaluError(.couldNotCreateInstance, message)
        case Int32(NALU_PW_UNSUPPORTED): NaluError(.unsupportedDataFormat, message)
        default: NaluError(.inputOutput, message)
        }
    }
}
