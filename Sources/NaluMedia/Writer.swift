public import Nalu
internal import NaluMediaEngine

/// Writes samples into a container: MP4, MOV, Matroska, MPEG-TS, FLV, raw H.264 and H.265.
///
///     var options = WriterOptions()
///     options.overwrite = true
///     let writer = try Writer(path: "out.mp4", options: options)
///     let track = try writer.addTrack(sample.formatDescription)
///     try writer.write(sample, to: track)      // for each sample, in decode order
///     try writer.finish()
///
/// Any thread may call any function; calls on one writer run one after the other. A writer that is released without
/// ``finish()`` is finished then, but failures are not reported, and an existing file that would be replaced at the end stays
/// as it is.
///
/// Times in mp4 and mov are exact. A sample without a duration lasts until the next one; the last one then lasts as
/// long as the one before. Colour, pixel aspect ratio and size come from the format description.
///
/// When writing fails (a full disk, a closed pipe), the call throws `.inputOutput`. So does every later call, and
/// nothing more is written. docs/containers.md says what stays usable.
public final class Writer: Sendable {
    private let engine: NaluMediaEngine.Writer

    /// Writes all bytes at the current position. Returns 0 or an errno number; a failure is final.
    public typealias WriteFunction = @Sendable (_ bytes: UnsafeRawBufferPointer) -> Int32
    /// Sets the current position, in bytes from the beginning. Returns 0 or an errno number.
    public typealias SeekFunction = @Sendable (_ offset: Int64) -> Int32

    /// To a file, which gets the permissions 0666 less the umask. Nothing is written before the first sample.
    ///
    /// An mp4 or mov that is not fragmented takes its place at the path when it is finished; until then, and after a failure, the
    /// path is as it was. A file that is replaced keeps its permissions. Everything else is written to the path itself, and can
    /// be read while it grows; docs/containers.md says more.
    ///
    /// - Parameter container: nil: by the path's ending.
    ///
    /// Throws `.parameter` when the extension selects no container; `.unsupportedDataFormat` when there is no such
    /// container; `.outOfRange` for a number in the options; `.conflict` for options that do not go together, or not
    /// with the container; `.inputOutput` when the file cannot be created, also when it exists and
    /// ``WriterOptions/overwrite`` is not set.
    public init(
        path: String, container: Container? = nil, options: WriterOptions = WriterOptions()
    ) throws(NaluError) {
        engine = try NaluMediaEngine.Writer(path: path, container: container?.rawValue, options: options.engine)
    }

    /// To a descriptor that is open for writing: a file (from its beginning), a pipe, a socket. It stays the caller's, and
    /// has to stay open as long as the writer. It may be non-blocking.
    ///
    /// Throws as ``init(path:container:options:)`` does; `.conflict` also when the container must seek and the descriptor
    /// cannot, or is not at its beginning.
    public init(
        fileDescriptor: Int32, container: Container, options: WriterOptions = WriterOptions()
    ) throws(NaluError) {
        engine = try NaluMediaEngine.Writer(
            descriptor: fileDescriptor, container: container.rawValue, options: options.engine)
    }

    /// To functions, which are called from the thread that writes or finishes, and let go with the writer. From inside
    /// them every call of the same writer throws `.reentrant`.
    ///
    /// - Parameter seek: nil when there is no seeking, as for sockets.
    ///
    /// Throws as ``init(path:container:options:)`` does; `.conflict` also when the container must seek and cannot.
    public init(
        container: Container, options: WriterOptions = WriterOptions(), write: @escaping WriteFunction,
        seek: SeekFunction? = nil
    ) throws(NaluError) {
        engine = unsafe try NaluMediaEngine.Writer(
            output: CallbackOutput(write: write, seek: seek, destroy: {}), container: container.rawValue,
            options: options.engine)
    }

    /// Adds the video track, before the first sample: one in every container. Returns its number.
    ///
    /// Throws `.outOfRange` for a number in the options; `.conflict` for an option that the container cannot carry;
    /// `.unsupportedDataFormat` when there is a track already; `.outOfOrder` when the writer is finished.
    @discardableResult
    public func addTrack(
        _ format: FormatDescription, options: TrackOptions = TrackOptions()
    ) throws(NaluError) -> Int {
        Int(try engine.addTrack(format, options.engine))
    }

    /// Adds a track of a reader that goes from file to file as it is: sound or subtitles. Returns its number here.
    ///
    /// Before the first sample of both. From then on ``Reader/nextSample()`` hands the track's packets over as it comes past
    /// them; their times are those of the file. The reader keeps the writer.
    ///
    /// Throws `.outOfRange` when there is no such track; `.unsupportedDataFormat` for video, and where the container has no
    /// place for the codec; `.outOfOrder` when a sample was read or written, or the track goes to a writer already.
    @discardableResult
    public func addTrack(_ track: Int, of reader: Reader) throws(NaluError) -> Int {
        Int(try engine.addTrack(from: reader.engine, track: UInt32(clamping: track)))
    }

    /// Writes the next sample of a track, in decode order.
    ///
    /// Throws `.outOfRange` when there is no such track; `.invalidTime` when a time is not numeric, the decode time
    /// does not grow or is after the presentation time, or a time does not fit the track's timescale, and the next
    /// sample can be written; `.unsupportedDataFormat` when the format description is not the track's, and the container
    /// cannot say so (docs/containers.md); `.outOfOrder` when the writer is finished, or decoding cannot begin with the first
    /// sample; `.inputOutput`.
    public func write(_ sample: Sample, to track: Int = 0) throws(NaluError) {
        try engine.write(sample, track: UInt32(clamping: track))
    }

    /// Leaves out what tracks from readers have before that time. Before the first sample.
    ///
    /// In MP4 and MOV a packet of audio during which `time` is, and the one before it, stay and are hidden by the edit list.
    package func beginTracksFromReaders(at time: MediaTime) {
        try? engine.beginTracksFromReaders(at: time)
    }

    /// Leaves out what is not written yet of tracks from readers and begins at that time or later. Before ``finish()``.
    package func endTracksFromReaders(at time: MediaTime) {
        try? engine.endTracksFromReaders(at: time)
    }

    /// What was repaired and left out so far; after ``finish()``, of the whole file. Zeros inside a function of the writer.
    public var counts: WriterCounts {
        let counts = (try? engine.currentCounts()) ?? NaluMediaEngine.WriterCounts()
        return WriterCounts(
            repairedDecodeTimes: Int(clamping: counts.repairedDecodeTimes),
            movedPresentationTimes: Int(clamping: counts.movedPresentationTimes),
            movedPackets: Int(clamping: counts.movedPackets), leftOutPackets: Int(clamping: counts.leftOutPackets))
    }

    /// Completes the file: the last fragment, the index. Nothing can be written afterwards; a second call does nothing.
    /// Without samples the file is empty.
    ///
    /// Throws `.inputOutput`; `.outOfOrder` when there is no track.
    public func finish() throws(NaluError) {
        try engine.finish()
    }
}
