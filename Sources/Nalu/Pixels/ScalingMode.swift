/// The way in which a frame of another size fills the picture. The names are VideoToolbox's.
enum ScalingMode: String, CaseIterable, Sendable {
    /// The entire frame fills the entire picture.
    case normal = "Normal"
    /// The entire frame fills the displayed part of the picture. Frames have no clean aperture of their own to be
    /// cropped to.
    case cropSourceToCleanAperture = "CropSourceToCleanAperture"
    /// The entire frame fits undistorted into the displayed part, with black at its sides or above and below it.
    case letterbox = "Letterbox"
    /// The middle of the frame fills the displayed part undistorted, as large as possible.
    case trim = "Trim"
}
