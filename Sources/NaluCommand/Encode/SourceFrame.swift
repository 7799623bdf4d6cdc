internal import Nalu

/// A frame of the input, and what keeps its pixels where they are.
///
/// `@unchecked Sendable`: once it is made nobody writes the pixels before the owner is gone.
struct SourceFrame: @unchecked Sendable {
    let view: PixelView
    let owner: AnyObject
}
