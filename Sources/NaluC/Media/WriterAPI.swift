// media/writer.h: creation for three kinds of output, and writing.

public import CNalu
internal import Nalu
internal import NaluMedia

extension Writer: HandleObject { static var handleNoun: StaticString { "a nalu_writer" } }

extension nalu_writer_options {
    static func read(_ pointer: UnsafePointer<nalu_writer_options>?) throws(NaluError) -> WriterOptions {
        let given = try unsafe GrowableStruct.read(pointer, over: nalu_writer_options(), "options")
        let flags = try Flags(
            given.flags, "options.flags",
            among: NALU_WRITER_OVERWRITE | NALU_WRITER_FRAGMENTED | NALU_WRITER_FAST_START | NALU_WRITER_START_AT_ZERO
                | NALU_WRITER_REPAIR_TIMES | NALU_WRITER_PARAMETER_SETS_IN_BAND, "NALU_WRITER_")
        var options = WriterOptions(spelling: .c)
        options.overwrite = flags[NALU_WRITER_OVERWRITE]
        options.isFragmented = flags[NALU_WRITER_FRAGMENTED]
        options.fastStart = flags[NALU_WRITER_FAST_START]
        options.startAtZero = flags[NALU_WRITER_START_AT_ZERO]
        options.repairsTimes = flags[NALU_WRITER_REPAIR_TIMES]
        options.parameterSetsInBand = flags[NALU_WRITER_PARAMETER_SETS_IN_BAND]
        options.fragmentDuration = given.fragment_duration
        options.creationTime = given.creation_time
        return options
    }
}

extension nalu_writer_track_options {
    static func read(_ pointer: UnsafePointer<nalu_writer_track_options>?) throws(NaluError) -> TrackOptions {
        let given = try unsafe GrowableStruct.read(pointer, over: nalu_writer_track_options(), "options")
        var options = TrackOptions()
        options.rotation = Int(given.rotation)
        options.timescale = Int(given.timescale)
        guard 0...1 ~= given.is_mirrored else {
            throw NaluError(.outOfRange, "options.is_mirrored is \(given.is_mirrored); expected 0 or 1")
        }
        options.isMirrored = given.is_mirrored == 1
        return options
    }
}

@c @implementation
public func nalu_writer_create_with_path(
    _ path: UnsafePointer<CChar>?, _ container: UnsafePointer<CChar>?,
    _ options: UnsafePointer<nalu_writer_options>?, _ writer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("writer_out", writer_out) { () throws(NaluError) in
        try unsafe Writer(
            path: cPath(path, "path"), named: container.map { unsafe String(cString: $0) },
            options: nalu_writer_options.read(options)
        )
    }
}

@c @implementation
public func nalu_writer_create_with_file_descriptor(
    _ descriptor: Int32, _ container: UnsafePointer<CChar>?, _ options: UnsafePointer<nalu_writer_options>?,
    _ writer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("writer_out", writer_out) { () throws(NaluError) in
        try unsafe Writer(
            descriptor: descriptor, named: cText(container, "container"),
            options: nalu_writer_options.read(options))
    }
}

@c @implementation
public func nalu_writer_create_with_callbacks(
    _ write: nalu_writer_write_callback?, _ seek: nalu_writer_seek_callback?, _ refcon: UnsafeMutableRawPointer?,
    _ destroy_refcon: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ container: UnsafePointer<CChar>?,
    _ options: UnsafePointer<nalu_writer_options>?, _ writer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("writer_out", writer_out) { () throws(NaluError) in
        let write = try unsafe required(write, "write")
        let output = unsafe CallbackOutput(
            write: { bytes in
                unsafe write(refcon, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
            },
            seek: seek.map { seek in { offset in unsafe seek(refcon, offset) } },
            destroy: { unsafe destroy_refcon?(refcon) })
        return try unsafe Writer(
            output: output, named: cText(container, "container"),
            options: nalu_writer_options.read(options))
    }
}

@c @implementation
public func nalu_writer_retain(_ writer: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(writer, Writer.self)
    return unsafe writer
}

@c @implementation
public func nalu_writer_release(_ writer: OpaquePointer?) {
    unsafe Handle.release(writer, Writer.self)
}

@c @implementation
public func nalu_writer_add_track(
    _ writer: OpaquePointer?, _ format: OpaquePointer?, _ options: UnsafePointer<nalu_writer_track_options>?,
    _ track_out: UnsafeMutablePointer<UInt32>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let writer = try unsafe Handle.required(writer, "writer", Writer.self)
        let format = try unsafe Handle.required(format, "format", FormatDescription.self)
        let track = try unsafe writer.addTrack(format, options: nalu_writer_track_options.read(options))
        unsafe track_out?.pointee = UInt32(track)
    }
}

@c @implementation
public func nalu_writer_add_track_from_reader(
    _ writer: OpaquePointer?, _ reader: OpaquePointer?, _ reader_track: UInt32,
    _ track_out: UnsafeMutablePointer<UInt32>?
) -> nalu_status {
    unsafe Writer.addReaderTrack(to: writer, reader, reader_track, track_out)
}

@c @implementation
public func nalu_writer_write_sample(
    _ writer: OpaquePointer?, _ track: UInt32, _ sample: OpaquePointer?
) -> nalu_status {
    unsafe Writer.writeSample(to: writer, track, sample)
}

@c @implementation
public func nalu_writer_get_counts(
    _ writer: OpaquePointer?, _ counts_out: UnsafeMutablePointer<nalu_writer_counts>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let counts = try unsafe Handle.required(writer, "writer", Writer.self).currentCounts()
        try unsafe GrowableStruct.write(
            nalu_writer_counts(
                struct_size: 0, reserved: 0, repaired_decode_times: UInt64(counts.repairedDecodeTimes),
                moved_presentation_times: UInt64(counts.movedPresentationTimes),
                moved_packets: UInt64(counts.movedPackets),
                left_out_packets: UInt64(counts.leftOutPackets)),
            to: counts_out, "counts_out")
    }
}

@c @implementation
public func nalu_writer_finish(_ writer: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(writer, "writer", Writer.self).finish()
    }
}
