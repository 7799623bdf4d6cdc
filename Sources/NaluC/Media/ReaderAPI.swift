// media/reader.h: creation for two kinds of input, facts about tracks, and reading.

public import CNalu
internal import Nalu
internal import NaluMedia

extension Reader: HandleObject { static var handleNoun: StaticString { "a nalu_reader" } }

extension nalu_reader_options {
    static func read(_ pointer: UnsafePointer<nalu_reader_options>?) throws(NaluError) -> ReaderOptions {
        let initial = unsafe nalu_reader_options(
            struct_size: UInt32(MemoryLayout<nalu_reader_options>.size), flags: 0, frame_duration: nalu_time(),
            format: nil, maximum_pixel_count: 0)
        let given = try unsafe GrowableStruct.read(pointer, over: initial, "options")
        let flags = try Flags(
            unsafe given.flags, "options.flags", among: NALU_READER_IGNORE_EDIT_LIST | NALU_READER_SPOOL,
            "NALU_READER_")
        var options = ReaderOptions(spelling: .c)
        options.ignoresEditList = flags[NALU_READER_IGNORE_EDIT_LIST]
        options.spools = flags[NALU_READER_SPOOL]
        options.frameDuration = unsafe MediaTime(given.frame_duration)
        options.maximumPixelCount = unsafe given.maximum_pixel_count
        options.format = unsafe given.format.map { unsafe String(cString: $0) }
        return options
    }
}

private func reader(_ handle: OpaquePointer?) -> Reader? {
    unsafe try? Handle.required(handle, "reader", Reader.self)
}

@c @implementation
public func nalu_reader_create_with_path(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<nalu_reader_options>?,
    _ reader_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("reader_out", reader_out) { () throws(NaluError) in
        try unsafe Reader(path: cPath(path, "path"), options: nalu_reader_options.read(options))
    }
}

@c @implementation
public func nalu_reader_create_with_callbacks(
    _ read: nalu_reader_read_callback?, _ seek: nalu_reader_seek_callback?, _ size: Int64,
    _ refcon: UnsafeMutableRawPointer?, _ destroy_refcon: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    _ options: UnsafePointer<nalu_reader_options>?, _ reader_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("reader_out", reader_out) { () throws(NaluError) in
        let read = try unsafe required(read, "read")
        let input = unsafe CallbackInput(
            read: { bytes in
                unsafe read(refcon, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
            },
            seek: seek.map { seek in { offset in unsafe seek(refcon, offset) } }, size: max(-1, size),
            destroy: { unsafe destroy_refcon?(refcon) })
        return try unsafe Reader(input: input, options: nalu_reader_options.read(options))
    }
}

@c @implementation
public func nalu_reader_retain(_ reader: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(reader, Reader.self)
    return unsafe reader
}

@c @implementation
public func nalu_reader_release(_ reader: OpaquePointer?) {
    unsafe Handle.release(reader, Reader.self)
}

@c @implementation
public func nalu_reader_get_container(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? {
    unsafe try? reader(handle)?.lendContainer()
}

@c @implementation
public func nalu_reader_get_duration(_ handle: OpaquePointer?) -> nalu_time {
    unsafe ((try? reader(handle)?.currentDuration()) ?? .invalid).cTime
}

@c @implementation
public func nalu_reader_get_track_count(_ handle: OpaquePointer?) -> UInt32 {
    unsafe UInt32(clamping: (try? reader(handle)?.trackCount) ?? 0)
}

extension TrackFacts {
    fileprivate var cTrack: nalu_reader_track {
        let flags =
            (isReadable ? NALU_TRACK_READABLE : 0) | (isSelected ? NALU_TRACK_SELECTED : 0)
            | (isDefault ? NALU_TRACK_DEFAULT : 0) | (isEncrypted ? NALU_TRACK_ENCRYPTED : 0)
        let letters = language.utf8.map { CChar(truncatingIfNeeded: $0) } + [0, 0, 0]
        return unsafe nalu_reader_track(
            struct_size: 0, flags: UInt32(flags), media_type: mediaType, codec: codec, codec_name: codecNamePointer,
            language: (letters[0], letters[1], letters[2], 0), timescale: timescale, start_time: startTime.cTime,
            duration: duration.cTime, bit_rate: bitRate, sample_count: sampleCount, width: width, height: height,
            rotation: transform.rotation, is_mirrored: transform.isMirrored ? 1 : 0,
            transform: (transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty),
            pixel_aspect_ratio_horizontal: pixelAspect.horizontal,
            pixel_aspect_ratio_vertical: pixelAspect.vertical, nominal_frame_rate: nominalFrameRate,
            sample_rate: sampleRate, channel_count: channelCount)
    }
}

@c @implementation
public func nalu_reader_get_track(
    _ handle: OpaquePointer?, _ track: UInt32, _ track_out: UnsafeMutablePointer<nalu_reader_track>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let reader = try unsafe Handle.required(handle, "reader", Reader.self)
        try unsafe GrowableStruct.write(reader.track(Int(track)).cTrack, to: track_out, "track_out")
    }
}

@c @implementation
public func nalu_reader_get_format_description(_ handle: OpaquePointer?, _ track: UInt32) -> OpaquePointer? {
    unsafe Handle.lent((try? reader(handle)?.formatDescription(track: Int(track))) ?? nil)
}

@c @implementation
public func nalu_reader_select_track(_ handle: OpaquePointer?, _ track: UInt32, _ is_selected: Int32) -> nalu_status {
    attempt { () throws(NaluError) in
        let reader = try unsafe Handle.required(handle, "reader", Reader.self)
        guard is_selected == 0 || is_selected == 1 else {
            throw NaluError(.outOfRange, "is_selected is \(is_selected); expected 0 or 1")
        }
        try reader.select(track: Int(track), is_selected == 1)
    }
}

@c @implementation
public func nalu_reader_next_sample(
    _ handle: OpaquePointer?, _ track_out: UnsafeMutablePointer<UInt32>?,
    _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe sample_out?.pointee = nil
    return attempt { () throws(NaluError) in
        let reader = try unsafe Handle.required(handle, "reader", Reader.self)
        let out = try unsafe required(sample_out, "sample_out")
        guard let next = try reader.nextSample() else {
            throw NaluError(.valueNotAvailable, "the selected tracks have no more samples")
        }
        unsafe track_out?.pointee = UInt32(next.track)
        unsafe out.pointee = Handle.owned(next.sample)
    }
}

@c @implementation
public func nalu_reader_seek(_ handle: OpaquePointer?, _ time: nalu_time) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(handle, "reader", Reader.self).seek(to: MediaTime(time))
    }
}

@c @implementation
public func nalu_reader_cancel(_ handle: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(handle, "reader", Reader.self).cancel()
    }
}

@c @implementation
public func nalu_reader_get_status(_ handle: OpaquePointer?) -> Int32 {
    unsafe reader(handle)?.status.rawValue ?? 0
}
