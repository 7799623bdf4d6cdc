internal import NaluMedia

extension DecompressionSession: HandleObject {
    static var handleNoun: StaticString { "a nalu_decompression_session" }
}

extension Reader: HandleObject {
    static var handleNoun: StaticString { "a nalu_reader" }
}

extension Writer: HandleObject {
    static var handleNoun: StaticString { "a nalu_writer" }
}
