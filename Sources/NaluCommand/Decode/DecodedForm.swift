internal import ArgumentParser

/// What decoded pictures are written as.
enum DecodedForm: String, CaseIterable, ExpressibleByArgument {
    case y4m, i420, yuv420p, nv12, p010, png

    /// By the extension of a path; Y4M for standard output and for unknown extensions.
    init(ofPath path: String) {
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased()
        switch ending {
        case "yuv", "i420", "yuv420p": self = .i420
        case "nv12": self = .nv12
        case "p010": self = .p010
        case "png": self = .png
        default: self = .y4m
        }
    }
}
