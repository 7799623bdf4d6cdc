// The C functions that return sizes and rectangles have other names in Swift. These functions return Foundation's types
// of those names, which programs use.
import CoreFoundationTypes
public import Foundation

/// Returns the size of an image in memory, in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
    let size = __CVImageBufferGetEncodedSize(imageBuffer)
    return CGSize(width: size.width, height: size.height)
}

/// Returns the size at which an image is displayed, which follows from its attachments.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
    let size = __CVImageBufferGetDisplaySize(imageBuffer)
    return CGSize(width: size.width, height: size.height)
}

/// Returns the part of an image that is meant to be displayed, relative to the top left corner.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
    let rect = __CVImageBufferGetCleanRect(imageBuffer)
    return CGRect(x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)
}
