internal import ArgumentParser

/// What the samples span: "limited" is Y 16...235, "full" is 0...255.
enum PixelRange: String, CaseIterable, ExpressibleByArgument {
    case limited, full
}
