// C's sizes and rectangles have other names in Swift, because programs use Foundation's types of these names.
import CoreFoundationTypes
public import Foundation

/// The size of an image in memory, in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
    let size = __CVImageBufferGetEncodedSize(imageBuffer)
    return CGSize(width: size.width, height: size.height)
}

/// The size at which an image is shown, which follows from its attachments.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
    let size = __CVImageBufferGetDisplaySize(imageBuffer)
    return CGSize(width: size.width, height: size.height)
}

/// The part of an image that is meant to be seen, from its top left corner.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
    let rect = __CVImageBufferGetCleanRect(imageBuffer)
    return CGRect(x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)
}
