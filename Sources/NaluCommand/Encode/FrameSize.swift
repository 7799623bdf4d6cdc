internal import ArgumentParser

/// A size as people write it, "1280x720".
struct FrameSize {
    let width: Int
    let height: Int

    static func read(_ argument: String) throws -> FrameSize {
        guard let size = FrameSize(argument) else {
            throw ValidationError("expected width and height in pixels, such as 1280x720")
        }
        return size
    }

    private init?(_ argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0 else {
            return nil
        }
        self.width = width
        self.height = height
    }
}
