/// How a frame of another size comes into the picture. The names are VideoToolbox's.
enum ScalingMode: String, CaseIterable, Sendable {
    /// All of it into the whole picture.
    case normal = "Normal"
    /// All of it into the part of the picture that is shown. Frames have no clean aperture of their own to be cropped
    /// to.
    case cropSourceToCleanAperture = "CropSourceToCleanAperture"
    /// All of it, undistorted, into that part, with black at its sides or above and below it.
    case letterbox = "Letterbox"
    /// As much of its middle as fills that part undistorted.
    case trim = "Trim"
}
