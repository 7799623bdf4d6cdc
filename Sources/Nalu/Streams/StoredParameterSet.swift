/// A parameter set of a stream and what it says, shared by those that read with it: the content is too large to be copied
/// for each slice.
final class StoredParameterSet<Content: Hashable & Sendable>: Sendable {
    let bytes: [UInt8]
    let content: Content

    init(bytes: [UInt8], content: Content) {
        self.bytes = bytes
        self.content = content
    }

    func says(theSameAs other: StoredParameterSet) -> Bool {
        self === other || content == other.content
    }
}
