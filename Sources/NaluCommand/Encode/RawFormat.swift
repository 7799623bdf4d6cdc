internal import ArgumentParser
internal import Nalu

/// The names of raw frames: planes and rows follow each other without padding.
enum RawFormat: String, CaseIterable, ExpressibleByArgument {
    case nv12, i420, yuv420p, bgra, rgba, argb, abgr, rgb24, bgr24, uyvy, yuyv, gray, p010

    /// - Parameter isFullRange: looked at where the format has a choice.
    func pixelFormat(isFullRange: Bool) -> PixelFormat {
        switch self {
        case .nv12: isFullRange ? .nv12FullRange : .nv12
        case .i420, .yuv420p: isFullRange ? .i420FullRange : .i420
        case .bgra: .bgra
        case .rgba: .rgba
        case .argb: .argb
        case .abgr: .abgr
        case .rgb24: .rgb24
        case .bgr24: .bgr24
        case .uyvy: .uyvy
        case .yuyv: .yuyv
        case .gray: .gray8
        case .p010: isFullRange ? .x420FullRange : .x420
        }
    }

    /// Whether its samples may be of either range.
    var hasRange: Bool {
        pixelFormat(isFullRange: false) != pixelFormat(isFullRange: true)
    }
}
