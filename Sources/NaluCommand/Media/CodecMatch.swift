internal import Nalu
internal import NaluMedia

/// Whether an output can hold the codec of an input.
enum CodecMatch {
    static func check(_ file: MediaFile, _ form: OutputForm, _ output: OutputFile) throws(Failure) {
        let isHEVC = file.track.codec == FormatDescription.hevc
        if form.container == .h264, isHEVC {
            throw Failure("\(file.name) has H.265, and \(output.name) is for H.264; name the output .h265")
        }
        if form.container == .hevc, !isHEVC {
            throw Failure("\(file.name) has H.264, and \(output.name) is for H.265; name the output .h264")
        }
    }
}
