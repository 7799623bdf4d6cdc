internal import CNalu

/// Pictures that are coded in several parts.
enum SplitPictures {
    /// Whether a slice of the sample begins elsewhere than at the first block of its picture or field; with all others gone this
    /// still tells. ITU-T H.264 7.3.3, first_mb_in_slice; ITU-T H.265 7.3.6.1, first_slice_segment_in_pic_flag.
    static func has(_ sample: OpaquePointer, isHEVC: Bool) -> Bool {
        var (offset, size) = (0, 0)
        while let unit = unsafe nalu_sample_next_nal(sample, &offset, &size) {
            guard size > 2 else { continue }
            let type = unsafe isHEVC ? unit.pointee >> 1 & 63 : unit.pointee & 31
            let isSlice = isHEVC ? type < 32 : type == 1 || type == 5
            if unsafe isSlice && unit[isHEVC ? 2 : 1] & 0x80 == 0 { return true }
        }
        return false
    }
}
