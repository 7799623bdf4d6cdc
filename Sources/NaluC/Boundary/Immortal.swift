internal import CNalu
internal import Nalu
private import NaluLibc

/// C strings that live as long as the process.
///
/// `nonisolated(unsafe)`: created once, never written again.
enum Immortal {
    nonisolated(unsafe) static let empty = unsafe make("")
    nonisolated(unsafe) static let version = unsafe make(
        "\(NALU_VERSION_MAJOR).\(NALU_VERSION_MINOR).\(NALU_VERSION_PATCH)")
    nonisolated(unsafe) static let properties = unsafe PropertyCatalog.all.map { unsafe Property($0) }
    nonisolated(unsafe) static let encoderNames = unsafe EncoderRegistry.all.map { unsafe make($0.name) }

    static func make(_ text: String) -> UnsafePointer<CChar> {
        if let copy = unsafe strdup(text) {
            return unsafe UnsafePointer(copy)
        }
        // Without memory for a name, the name is empty.
        return unsafe staticString("")
    }

    static func staticString(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// The strings of one catalogue row.
    @unsafe struct Property {
        let key: UnsafePointer<CChar>
        let defaultText: UnsafePointer<CChar>
        let documentation: UnsafePointer<CChar>
        let allowedValues: [UnsafePointer<CChar>]

        init(_ info: PropertyInfo) {
            unsafe key = make(info.key.rawValue)
            unsafe defaultText = make(info.defaultText)
            unsafe documentation = make(info.documentation)
            unsafe allowedValues = info.allowedValues.map { unsafe make($0) }
        }
    }
}
