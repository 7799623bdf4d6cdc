internal import CX264

/// x264's parameters as text that x264 (and the property `x264.params`) can read again. The caller must have a
/// ``CLocale``.
struct X264Description: Sendable {
    private let asked: nalu_x264_asked

    /// - Parameter parameters: the parameters that x264 will be opened with.
    init(before parameters: UnsafePointer<x264_param_t>, _ configuration: SessionConfiguration) {
        asked = unsafe nalu_x264_ask(parameters, configuration.saysFrameRate ? 1 : 0)
    }

    func text(_ parameters: UnsafePointer<x264_param_t>) -> String {
        var characters = [CChar](repeating: 0, count: 8192)
        var asked = asked
        let count = unsafe characters.withUnsafeMutableBufferPointer { buffer in
            unsafe nalu_x264_describe(parameters, &asked, buffer.baseAddress, buffer.count)
        }
        return String(decoding: characters.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SessionConfiguration {
    /// Whether the client has set the frame rate, which the stream then states.
    var saysFrameRate: Bool {
        FrameRate(live.rate.expectedFrameRate) != nil || x264.options.contains("fps")
    }
}
