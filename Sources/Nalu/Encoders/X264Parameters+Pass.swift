internal import CX264

extension X264Parameters {
    /// Several passes: the first one writes what it learns, with the very settings of the later ones. (x264's own
    /// program makes a first pass of lower quality, from which sizes cannot be predicted as well: twice as far off on
    /// the real clips.) Later ones read that, never each other's, so that only the rate changes from one to the next.
    static func fillPass(
        _ parameters: UnsafeMutablePointer<x264_param_t>, _ setup: EncoderSetup
    ) throws(NaluError) {
        guard let pass = setup.pass else { return }
        try pass.prepareFiles()
        try pass.checkFiles()
        // Copies the path into both names, for x264_param_cleanup to free.
        guard unsafe x264_param_parse(parameters, "stats", pass.statisticsPath) == 0 else {
            throw NaluError(.allocationFailed, "out of memory for the path of the storage")
        }
        unsafe parameters.pointee.rc.b_stat_write = pass.isFirst ? 1 : 0
        unsafe parameters.pointee.rc.b_stat_read = pass.isFirst ? 0 : 1
    }
}
