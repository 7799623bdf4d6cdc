internal import Nalu

/// One SEI message.
struct SEIRecord {
    /// Where its NAL unit begins in the file.
    let offset: Int
    let type: SEIPayloadType
    let size: Int
    let elements: [SyntaxElement]
    let uuid: String?
    let text: String?
}
