// media/audio_encoder.h: PCM in, AAC-LC out.

public import CNalu
internal import Nalu
internal import NaluMedia

extension AudioEncoder: HandleObject { static var handleNoun: StaticString { "a nalu_audio_encoder" } }

@c @implementation
public func nalu_audio_encoder_create(
    _ sample_rate: Int32, _ channel_count: Int32, _ options: UnsafePointer<nalu_audio_encoder_options>?,
    _ encoder_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("encoder_out", encoder_out) { () throws(NaluError) in
        let given = try unsafe GrowableStruct.read(options, over: nalu_audio_encoder_options(), "options")
        guard given.reserved == 0 else {
            throw NaluError(.parameter, "options.reserved is \(given.reserved); expected 0")
        }
        return try AudioEncoder(
            sampleRate: Int(sample_rate), channelCount: Int(channel_count), bitRate: Int(given.bit_rate), spelling: .c)
    }
}

@c @implementation
public func nalu_audio_encoder_retain(_ encoder: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(encoder, AudioEncoder.self)
    return unsafe encoder
}

@c @implementation
public func nalu_audio_encoder_release(_ encoder: OpaquePointer?) {
    unsafe Handle.release(encoder, AudioEncoder.self)
}

@c @implementation
public func nalu_audio_encoder_get_format_description(_ encoder: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.lent(Handle.object(encoder, AudioEncoder.self)?.formatDescription)
}

@c @implementation
public func nalu_audio_encoder_encode(
    _ encoder: OpaquePointer?, _ frames: UnsafeRawPointer?, _ frame_count: Int, _ value_type: UInt32,
    _ time: nalu_time
) -> nalu_status {
    attempt { () throws(NaluError) in
        let encoder = try unsafe Handle.required(encoder, "encoder", AudioEncoder.self)
        guard let type = AudioValueType(rawValue: value_type) else {
            throw NaluError(.outOfRange, "value_type is \(value_type); expected NALU_AUDIO_INT16 or NALU_AUDIO_FLOAT32")
        }
        guard unsafe frames != nil || frame_count == 0 else {
            throw NaluError(
                .parameter, "frames is NULL and frame_count is \(UInt(bitPattern: frame_count)); expected an address")
        }
        try unsafe encoder.encode(frames, frame_count, type, MediaTime(time))
    }
}

@c @implementation
public func nalu_audio_encoder_next_sample(
    _ encoder: OpaquePointer?, _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe sample_out?.pointee = nil
    return attempt { () throws(NaluError) in
        let encoder = try unsafe Handle.required(encoder, "encoder", AudioEncoder.self)
        let out = try unsafe required(sample_out, "sample_out")
        unsafe out.pointee = encoder.nextSample().map { unsafe Handle.owned($0) }
    }
}

@c @implementation
public func nalu_audio_encoder_finish(_ encoder: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(encoder, "encoder", AudioEncoder.self).finish()
    }
}

@c @implementation
public func nalu_audio_encoder_get_counts(
    _ encoder: OpaquePointer?, _ counts_out: UnsafeMutablePointer<nalu_audio_encoder_counts>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let counts = try unsafe Handle.required(encoder, "encoder", AudioEncoder.self).counts
        try unsafe GrowableStruct.write(
            nalu_audio_encoder_counts(
                struct_size: 0, reserved: 0, frames_in: counts.framesIn, frames_out: counts.framesOut,
                inserted_frames: counts.insertedFrames, dropped_frames: counts.droppedFrames, offset: counts.offset),
            to: counts_out, "counts_out")
    }
}
