/// The sample aspect ratios that have an `aspect_ratio_idc` (ITU-T H.264 table E-1).
enum PixelAspectRatios {
    /// The ratios by `aspect_ratio_idc`, 0 (unspecified) to 16.
    static let table: [(horizontal: Int, vertical: Int)] = [
        (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
        (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]
}
