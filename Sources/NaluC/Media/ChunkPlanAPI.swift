// media/chunk_plan.h: sources of frames, and the plan of their chunks. The callbacks run in the calling thread.

public import CNalu
internal import Nalu
private import NaluLibc
internal import NaluMedia

extension nalu_chunk_source {
    static func read(_ pointer: UnsafePointer<nalu_chunk_source>?) throws(NaluError) -> any ChunkSource {
        let given = try unsafe GrowableStruct.read(required(pointer, "source"), over: nalu_chunk_source(), "source")
        let name = unsafe given.name.map { unsafe String(cString: $0) } ?? "the source"
        let refcon = unsafe UInt(bitPattern: given.refcon)
        if let open = unsafe given.open {
            return FileChunkSource(name: name) { () throws(NaluError) in
                var reader: OpaquePointer?
                try checkCallback(unsafe open(UnsafeMutableRawPointer(bitPattern: refcon), &reader))
                defer { unsafe Handle.release(reader, Reader.self) }
                return try unsafe Handle.required(reader, "reader_out", Reader.self)
            }
        }
        let frame = try unsafe required(given.frame, "source.frame")
        guard unsafe (1...UInt64(Int32.max)).contains(given.frame_count) else {
            throw unsafe NaluError(
                .outOfRange, "source.frame_count is \(given.frame_count); expected 1 to \(Int32.max)")
        }
        guard let rate = unsafe ExactRate(given.frame_rate_numerator, given.frame_rate_denominator) else {
            throw unsafe NaluError(
                .outOfRange,
                "source.frame_rate is \(given.frame_rate_numerator)/\(given.frame_rate_denominator); expected numbers above 0"
            )
        }
        return unsafe FunctionChunkSource(
            count: Int(given.frame_count), rate: rate,
            format: given.format == 0 ? nil : PixelFormat(rawValue: given.format)
        ) { (index) throws(NaluError) in
            var found = nalu_chunk_frame()
            try checkCallback(unsafe frame(UnsafeMutableRawPointer(bitPattern: refcon), UInt64(index), &found))
            return try found.view
        }
    }
}

extension nalu_chunk_frame {
    fileprivate var view: PixelView {
        get throws(NaluError) {
            let planes = unsafe [self.planes.0, self.planes.1, self.planes.2]
            let strides = [self.strides.0, self.strides.1, self.strides.2]
            let sizes = [plane_sizes.0, plane_sizes.1, plane_sizes.2]
            guard plane_count <= UInt32(NALU_MAX_PLANES) else {
                throw NaluError(
                    .parameter, "frame_out.plane_count is \(plane_count); expected at most \(NALU_MAX_PLANES)")
            }
            return try unsafe PixelView.validated(
                format: PixelFormat(rawValue: format), width: Int(width), height: Int(height),
                planeCount: Int(plane_count), planes: planes, strides: strides, planeSizes: sizes)
        }
    }
}

/// Throws the error of a callback that failed.
func checkCallback(_ status: nalu_status) throws(NaluError) {
    guard status != Status.ok.rawValue else { return }
    throw NaluError(Status(rawValue: status), unsafe String(cString: LastError.message))
}

extension nalu_chunk_plan_options {
    fileprivate static func read(
        _ pointer: UnsafePointer<nalu_chunk_plan_options>?
    ) throws(NaluError) -> ChunkPlanOptions {
        let given = try unsafe GrowableStruct.read(pointer, over: nalu_chunk_plan_options(), "options")
        var options = unsafe ChunkPlanOptions(bitRate: Int(given.bit_rate))
        switch unsafe given.cut {
        case Int32(NALU_CHUNK_CUT_KEY_FRAMES): options.cut = .keyFrames
        case Int32(NALU_CHUNK_CUT_SCENES): options.cut = .scenes
        case Int32(NALU_CHUNK_CUT_EQUAL): options.cut = .equal
        default:
            throw unsafe NaluError(
                .outOfRange, "options.cut is \(given.cut); expected 0 to 2, the NALU_CHUNK_CUT_ values")
        }
        options.chunkCount = unsafe given.chunk_count == 0 ? nil : Int(given.chunk_count)
        options.chunkDuration = unsafe optional(given.chunk_duration)
        if unsafe given.width != 0 || given.height != 0 {
            options.size = unsafe (Int(given.width), Int(given.height))
        }
        if let preset = unsafe given.preset {
            options.properties += try CompressionPreset.settings(named: unsafe String(cString: preset))
        }
        guard unsafe given.property_count <= 4096 else {
            throw unsafe NaluError(
                .parameter, "options.property_count is \(given.property_count); expected at most 4096")
        }
        for index in unsafe 0..<Int(given.property_count) {
            let properties = try unsafe required(given.properties, "options.properties")
            options.properties.append(try unsafe properties[index].change(index))
        }
        return options
    }
}

/// Returns nil if all fields of the time are zero.
private func optional(_ time: nalu_time) -> MediaTime? {
    let isNone = time.value == 0 && time.timescale == 0 && time.flags == 0 && time.epoch == 0
    return isNone ? nil : MediaTime(time)
}

/// A plan, and the texts to which its descriptions point.
///
/// `@unchecked Sendable`: nothing writes the texts after init.
@safe
final class PlannedChunks: HandleObject, @unchecked Sendable {
    static var handleNoun: StaticString { "a nalu_chunk_plan" }

    fileprivate let chunks: [Chunk]
    fileprivate let properties: UnsafeMutablePointer<CChar>?

    fileprivate init(_ plan: ChunkPlan) {
        chunks = plan.chunks
        unsafe properties = plan.chunks.first.flatMap { unsafe strdup($0.settings.properties) }
    }

    deinit {
        unsafe free(properties)
    }
}

@c @implementation
public func nalu_chunk_plan_create(
    _ source: UnsafePointer<nalu_chunk_source>?, _ options: UnsafePointer<nalu_chunk_plan_options>?,
    _ plan_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("plan_out", plan_out) { () throws(NaluError) in
        try unsafe PlannedChunks(ChunkPlan(of: nalu_chunk_source.read(source), nalu_chunk_plan_options.read(options)))
    }
}

@c @implementation
public func nalu_chunk_plan_retain(_ plan: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(plan, PlannedChunks.self)
    return unsafe plan
}

@c @implementation
public func nalu_chunk_plan_release(_ plan: OpaquePointer?) {
    unsafe Handle.release(plan, PlannedChunks.self)
}

@c @implementation
public func nalu_chunk_plan_get_chunk_count(_ plan: OpaquePointer?) -> Int {
    unsafe Handle.object(plan, PlannedChunks.self)?.chunks.count ?? 0
}

@c @implementation
public func nalu_chunk_plan_get_chunk(
    _ plan: OpaquePointer?, _ index: Int, _ chunk_out: UnsafeMutablePointer<nalu_chunk>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let plan = try unsafe Handle.required(plan, "plan", PlannedChunks.self)
        guard plan.chunks.indices.contains(index) else {
            throw NaluError(.outOfRange, "index is \(UInt(bitPattern: index)); expected 0 to \(plan.chunks.count - 1)")
        }
        var chunk = unsafe nalu_chunk(plan.chunks[index])
        unsafe chunk.properties = unsafe plan.properties.map { unsafe UnsafePointer($0) }
        try unsafe GrowableStruct.write(chunk, to: chunk_out, "chunk_out")
    }
}

extension nalu_chunk {
    fileprivate init(_ chunk: Chunk) {
        unsafe self.init()
        unsafe flags = chunk.settings.scales ? UInt32(NALU_CHUNK_SCALES) : 0
        unsafe number = UInt32(clamping: chunk.number)
        unsafe count = UInt32(clamping: chunk.count)
        if let begin = chunk.begin { unsafe self.begin = begin.cTime }
        if let end = chunk.end { unsafe self.end = end.cTime }
        unsafe seconds = chunk.seconds
        unsafe width = Int32(clamping: chunk.settings.width)
        unsafe height = Int32(clamping: chunk.settings.height)
        unsafe format = chunk.settings.format?.rawValue ?? 0
        let limits = chunk.settings.limits
        unsafe limit_count = UInt32(limits.count)
        if limits.count >= 2 { unsafe (self.limits.0, self.limits.1) = (limits[0], limits[1]) }
        if limits.count >= 4 { unsafe (self.limits.2, self.limits.3) = (limits[2], limits[3]) }
        unsafe bit_rate = Int64(chunk.settings.bitRate)
        unsafe highest_rate = Int64(chunk.settings.highestRate ?? 0)
    }

    static func read(_ pointer: UnsafePointer<nalu_chunk>?) throws(NaluError) -> Chunk {
        let given = try unsafe GrowableStruct.read(required(pointer, "chunk"), over: nalu_chunk(), "chunk")
        let flags = try Flags(unsafe given.flags, "chunk.flags", among: NALU_CHUNK_SCALES, "NALU_CHUNK_SCALES")
        guard unsafe given.number < given.count else {
            throw unsafe NaluError(
                .outOfRange, "chunk.number is \(given.number); expected less than chunk.count, \(given.count)")
        }
        guard unsafe [0, 2, 4].contains(given.limit_count) else {
            throw unsafe NaluError(.outOfRange, "chunk.limit_count is \(given.limit_count); expected 0, 2 or 4")
        }
        guard unsafe given.bit_rate >= 1, unsafe given.highest_rate >= 0 else {
            throw unsafe NaluError(
                .outOfRange,
                "chunk.bit_rate is \(given.bit_rate) and chunk.highest_rate \(given.highest_rate); expected 1 or more, and 0 or more"
            )
        }
        let limits = unsafe [given.limits.0, given.limits.1, given.limits.2, given.limits.3]
        let settings = try unsafe ChunkSettings(
            width: Int(given.width), height: Int(given.height),
            format: given.format == 0 ? nil : PixelFormat(rawValue: given.format),
            properties: cText(given.properties, "chunk.properties"),
            scales: flags[NALU_CHUNK_SCALES], bitRate: Int(given.bit_rate),
            highestRate: given.highest_rate == 0 ? nil : Int(given.highest_rate),
            limits: Array(limits.prefix(Int(given.limit_count))))
        return unsafe Chunk(
            settings: settings, number: Int(given.number), count: Int(given.count), begin: optional(given.begin),
            end: optional(given.end), seconds: given.seconds)
    }
}
