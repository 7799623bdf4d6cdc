/// SEI NAL units: the messages follow each other inside the unit, and their content can be parsed with any parameter
/// set.
func fuzzSEIMessage(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let unit = unsafe Fuzzing.input(data, size)
    let messages = unsafe SEIMessage.messages(of: unit)
    Fuzzing.require(messages.reduce(0) { $0 + $1.payload.count + 2 } <= size, "the messages lie inside the unit")
    for message in messages.dropLast() {
        Fuzzing.require(message.payload.count == message.size, "only the last message is cut off")
    }
    var sequence = SequenceParameterSet()
    sequence.hasPictureStructure = true
    sequence.nalHRD = HRDParameters(
        schedules: [.init(bitRate: 1, bufferSize: 1, isConstant: true)], initialRemovalDelayBits: 32,
        removalDelayBits: 1, outputDelayBits: 32, timeOffsetBits: 31)
    for message in messages {
        Fuzzing.require(message.payload.count <= message.size, "no payload is longer than it says")
        let elements = message.elements { _ in sequence }
        let without = message.elements { _ in nil }
        Fuzzing.require(elements.count + without.count < 200, "no message has that many elements")
        Fuzzing.require(message.userDataText == nil || message.userDataUUID != nil, "a text stands behind a UUID")
    }
    return 0
}
