/// A parameter set of a stream and what it says, shared by those that read with it: the content is too large to be copied
/// for each slice.
package final class StoredParameterSet<Content: Hashable & Sendable>: Sendable {
    package let bytes: [UInt8]
    package let content: Content

    package init(bytes: [UInt8], content: Content) {
        self.bytes = bytes
        self.content = content
    }

    package func says(theSameAs other: StoredParameterSet) -> Bool {
        self === other || content == other.content
    }
}
