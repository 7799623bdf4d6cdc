internal import CX265

/// The parameters that x265 runs with, as text in the syntax of its options.
enum X265Description {
    static func text(_ values: x265_param, _ preset: String) -> String {
        let pairs: [(String, String)] = unsafe [
            ("preset", preset), ("crf", "\(values.rc.rfConstant)"), ("output-depth", "\(values.internalBitDepth)"),
            ("fps", "\(values.fpsNum)/\(values.fpsDenom)"), ("bframes", "\(values.bframes)"),
            ("b-adapt", "\(values.bFrameAdaptive)"), ("b-pyramid", "\(values.bBPyramid)"),
            ("ref", "\(values.maxNumReferences)"), ("rc-lookahead", "\(values.lookaheadDepth)"),
            ("scenecut", "\(values.scenecutThreshold)"), ("open-gop", "\(values.bOpenGOP)"),
            ("aq-mode", "\(values.rc.aqMode)"), ("aq-strength", "\(values.rc.aqStrength)"),
            ("cutree", "\(values.rc.cuTree)"), ("qpmin", "\(values.rc.qpMin)"), ("qpmax", "\(values.rc.qpMax)"),
            ("frame-threads", "\(values.frameNumThreads)"), ("wpp", "\(values.bEnableWavefront)"),
            ("rd", "\(values.rdLevel)"), ("me", "\(values.searchMethod)"), ("subme", "\(values.subpelRefine)"),
            ("merange", "\(values.searchRange)"), ("ctu", "\(values.maxCUSize)"), ("sao", "\(values.bEnableSAO)"),
            ("slices", "\(values.maxSlices)"),
        ]
        return pairs.map { "\($0.0)=\($0.1)" }.joined(separator: ":")
    }
}
