internal import Nalu
internal import NaluBase
internal import NaluMedia

/// The input of `nalu play`: a file, standard input, or an address.
struct PlayInput {
    let file: MediaFile
    /// Whether the input has a beginning that can be read again.
    let canSeek: Bool
    /// The time of the first picture.
    let start: MediaTime
    /// The time after the last picture; nil if it is not known.
    let end: MediaTime?
    /// The first audio track; nil if there is none.
    let audioTrack: Int?

    /// The schemes of addresses whose sender does not wait for the receiver.
    private static let liveSchemes = ["srt://", "udp://"]
    private static let schemes = liveSchemes + ["http://", "tcp://"]

    static func isLive(_ argument: String) -> Bool { liveSchemes.contains { argument.hasPrefix($0) } }

    init(_ argument: String, format: InputFormatArgument?) throws {
        if Self.schemes.contains(where: { argument.hasPrefix($0) }) {
            let reader: Reader
            do throws(NaluError) {
                reader = try Reader(path: argument, format: format?.name)
            } catch {
                throw Failure("cannot read \(NaluError.excerpt(argument)): \(error.message)")
            }
            file = try MediaFile(reader, name: argument, track: nil)
        } else {
            file = try MediaFile(InputFile(path: argument), format: format)
        }
        canSeek = file.reader.canSeek
        start = file.track.startTime ?? .zero
        end = file.track.duration.map { [start] in start + $0 }
        let tracks = file.otherTracks.filter { $0.mediaType == .audio && !$0.isEncrypted }
        audioTrack = (tracks.first(where: \.isDefault) ?? tracks.first)?.index
    }

    /// The duration of a picture for which its sample states none.
    var frameDuration: MediaTime {
        let rate = file.track.nominalFrameRate ?? 30
        return MediaTime(value: Int64((1e9 / max(rate, 0.01)).rounded()), timescale: 1_000_000_000)
    }

    /// The width of a pixel divided by its height.
    var pixelAspect: Double {
        let ratio = file.track.pixelAspectRatio
        return ratio.horizontal > 0 && ratio.vertical > 0 ? Double(ratio.horizontal) / Double(ratio.vertical) : 1
    }

    /// The matrix of the pictures, and the pixel format that a window shows without loss of colour.
    var colors: (matrix: ColorMatrix, format: PixelFormat) {
        guard let format = file.format else { return (.automatic(height: file.track.height), .i420) }
        let info = format.sequence
        let matrix = ColorMatrix(coefficients: info.matrixCoefficients, height: info.height)
        // SDL converts 4:2:0 by the matrices of BT.601 and BT.709, and full range by that of BT.601.
        guard info.chromaFormatIDC == 1 || info.chromaFormatIDC == 0 else { return (matrix, .bgra) }
        switch (matrix, info.isFullRange) {
        case (.itu601, true): return (matrix, .i420FullRange)
        case (.itu601, false), (.itu709, false): return (matrix, .i420)
        default: return (matrix, .bgra)
        }
    }
}
