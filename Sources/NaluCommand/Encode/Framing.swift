/// What stands before each frame of the input.
enum Framing {
    /// Nothing.
    case none
    /// A line that begins with FRAME.
    case y4m

    /// "FRAME" and a newline: nearly every frame of every file.
    static let usual: [UInt8] = Array("FRAME\n".utf8)
    /// A line beyond this is damage.
    static let longest = 256

    var headerSize: Int { self == .none ? 0 : Self.usual.count }

    /// The bytes of the line with its newline; nil when that is not within `bytes`, or when it does not begin right.
    static func size(ofLineIn bytes: UnsafeRawBufferPointer) -> Int? {
        let start = unsafe bytes.prefix(usual.count)
        if unsafe start.elementsEqual(usual) { return usual.count }
        guard unsafe start.elementsEqual("FRAME ".utf8) else { return nil }
        return unsafe bytes.prefix(longest).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    static func damaged(_ name: String, frame number: Int) -> Failure {
        Failure("\(name) is damaged: frame \(number) does not begin with a line FRAME")
    }

    static func cut(_ name: String, frame number: Int) -> Failure {
        Failure("\(name) ends in the middle of frame \(number)")
    }
}
