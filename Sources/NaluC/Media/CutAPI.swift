// media/cut.h: copying a range of a file.

public import CNalu
internal import Nalu
internal import NaluMedia

extension nalu_cut_options {
    static func read(_ pointer: UnsafePointer<nalu_cut_options>?) throws(NaluError) -> CutOptions {
        let given = try unsafe GrowableStruct.read(pointer, over: nalu_cut_options(), "options")
        let flags = try Flags(unsafe given.flags, "options.flags", among: NALU_CUT_OVERWRITE, "NALU_CUT_OVERWRITE")
        var options = CutOptions(spelling: .c)
        options.start = unsafe time(given.start)
        options.end = unsafe time(given.end)
        options.container = unsafe given.container.map { unsafe Container(rawValue: String(cString: $0)) }
        options.format = unsafe given.format.map { unsafe String(cString: $0) }
        options.overwrite = flags[NALU_CUT_OVERWRITE]
        options.progress = unsafe bound(given.progress, given.refcon)
        return options
    }

    /// Returns nil if all fields of the time are zero.
    private static func time(_ time: nalu_time) -> MediaTime? {
        let isNone = time.value == 0 && time.timescale == 0 && time.flags == 0 && time.epoch == 0
        return isNone ? nil : MediaTime(time)
    }
}

@c @implementation
public func nalu_cut(
    _ input: UnsafePointer<CChar>?, _ output: UnsafePointer<CChar>?, _ options: UnsafePointer<nalu_cut_options>?,
    _ result_out: UnsafeMutablePointer<nalu_cut_result>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        if unsafe result_out != nil { _ = try unsafe GrowableStruct.check(result_out, "result_out") }
        let result = try unsafe Cutter.cut(
            cPath(input, "input"), to: cPath(output, "output"), nalu_cut_options.read(options))
        guard unsafe result_out != nil else { return }
        var found = nalu_cut_result()
        found.left_out_tracks = UInt32(clamping: result.leftOut.count)
        found.copied_frames = UInt64(result.copiedFrames)
        found.encoded_frames = UInt64(result.encodedFrames)
        found.hidden_frames = UInt64(result.hiddenFrames)
        try unsafe GrowableStruct.write(found, to: result_out, "result_out")
    }
}
