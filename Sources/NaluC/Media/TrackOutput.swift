// The functions that writers and publishers have in common.

internal import Nalu
internal import NaluBase
internal import NaluMedia

/// An object with tracks to which samples are written.
protocol TrackOutput: HandleObject {
    /// The name of the argument in error messages.
    static var argumentName: StaticString { get }
    func addTrack(_ track: Int, of reader: Reader) throws(NaluError) -> Int
    func write(_ sample: Sample, to track: Int) throws(NaluError)
}

extension Writer: TrackOutput { static var argumentName: StaticString { "writer" } }

extension Publisher: TrackOutput { static var argumentName: StaticString { "publisher" } }

extension TrackOutput {
    static func required(_ handle: OpaquePointer?) throws(NaluError) -> Self {
        try unsafe Handle.required(handle, argumentName, Self.self)
    }

    /// Adds a track of a reader to the object of a handle.
    static func addReaderTrack(
        to handle: OpaquePointer?, _ reader: OpaquePointer?, _ readerTrack: UInt32,
        _ trackOut: UnsafeMutablePointer<UInt32>?
    ) -> Int32 {
        attempt { () throws(NaluError) in
            let output = try unsafe required(handle)
            let reader = try unsafe Handle.required(reader, "reader", Reader.self)
            let track = try output.addTrack(Int(readerTrack), of: reader)
            unsafe trackOut?.pointee = UInt32(track)
        }
    }

    /// Writes a sample to the object of a handle.
    static func writeSample(to handle: OpaquePointer?, _ track: UInt32, _ sample: OpaquePointer?) -> Int32 {
        attempt { () throws(NaluError) in
            let output = try unsafe required(handle)
            try unsafe output.write(Handle.required(sample, "sample", Sample.self), to: Int(track))
        }
    }
}
