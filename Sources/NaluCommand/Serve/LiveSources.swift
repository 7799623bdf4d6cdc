#if Serve
    internal import Nalu
    private import NaluBase
    private import NaluLibc
    private import NaluMedia

    /// Finds the source that the user has named.
    enum LiveSources {
        /// - Parameters:
        ///   - name: a capture device, or the path of a file. `camera`, `screen` and `test` are devices; for other names, a
        ///     file takes precedence.
        ///   - pictures: the user's options for captured pictures.
        static func source(_ name: String, _ pictures: PictureOptions) throws -> any LiveFrames {
            let isKind = ["camera", "screen", "test"].contains(name)
            let isFile = unsafe access(name.pathBytes, F_OK) == 0
            guard isKind || !isFile else {
                if let given = pictures.given {
                    throw Failure.usage("\(given) is for captured pictures, and \(name) is a file; leave it out")
                }
                return try FileLiveFrames(path: name)
            }
            let device: CaptureDevice
            do throws(NaluError) {
                device = try CaptureDevices.device(name)
            } catch {
                throw Failure(isKind ? error.message : "there is no file \(name), and \(error.message)")
            }
            return try CaptureLiveFrames(device, pictures)
        }
    }
#endif
