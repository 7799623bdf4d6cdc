/// Text from C functions.
package enum CText {
    /// Returns the text that `fill` writes, with a zero at its end, into memory of `capacity` bytes.
    package static func written(_ capacity: Int, _ fill: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
        var characters = [CChar](repeating: 0, count: capacity)
        unsafe fill(&characters, capacity)
        return String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the texts that a function has for 0, 1 and so on, up to the first nil or empty text.
    package static func list(_ text: (Int32) -> UnsafePointer<CChar>?) -> [String] {
        var texts: [String] = []
        while let pointer = unsafe text(Int32(texts.count)), unsafe pointer.pointee != 0 {
            unsafe texts.append(String(cString: pointer))
        }
        return texts
    }
}
