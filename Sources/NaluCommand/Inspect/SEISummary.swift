internal import Nalu

/// The SEI messages of one type.
struct SEISummary {
    let type: SEIPayloadType
    var count = 0
    var bytes = 0
    /// The first ones; a stream may have one for every frame.
    var messages: [SEIRecord] = []

    static let maximumMessages = 1000
}
