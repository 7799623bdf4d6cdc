internal import CX264

/// x264's parameters as text that x264 (and the property `x264.params`) can read again.
enum X264Description {
    static func text(_ parameters: UnsafePointer<x264_param_t>) -> String {
        var characters = [CChar](repeating: 0, count: 4096)
        let count = unsafe characters.withUnsafeMutableBufferPointer { buffer in
            unsafe nalu_x264_describe(parameters, buffer.baseAddress, buffer.count)
        }
        return String(decoding: characters.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
