internal import CX264

/// The effort of x264's search: the settings that x264 can change while it runs, without a key frame.
struct AnalysisSettings: Equatable, Sendable {
    private var subpixelRefinement: Int32
    private var references: Int32
    private var motionSearch: Int32
    private var motionRange: Int32
    private var trellis: Int32
    private var mixedReferences: Int32
    private var interPartitions: UInt32

    init(_ parameters: x264_param_t) {
        unsafe subpixelRefinement = parameters.analyse.i_subpel_refine
        unsafe references = parameters.i_frame_reference
        unsafe motionSearch = parameters.analyse.i_me_method
        unsafe motionRange = parameters.analyse.i_me_range
        unsafe trellis = parameters.analyse.i_trellis
        unsafe mixedReferences = parameters.analyse.b_mixed_references
        unsafe interPartitions = parameters.analyse.inter
    }

    func apply(to parameters: inout x264_param_t) {
        unsafe parameters.analyse.i_subpel_refine = subpixelRefinement
        unsafe parameters.i_frame_reference = references
        unsafe parameters.analyse.i_me_method = motionSearch
        unsafe parameters.analyse.i_me_range = motionRange
        unsafe parameters.analyse.i_trellis = trellis
        unsafe parameters.analyse.b_mixed_references = mixedReferences
        unsafe parameters.analyse.inter = interPartitions
    }

    /// Returns the same settings, each lowered to the rung's if it is higher.
    fileprivate func limited(to rung: AnalysisLadder.Rung) -> AnalysisSettings {
        var result = self
        result.subpixelRefinement = min(subpixelRefinement, rung.subpixelRefinement)
        result.references = min(references, rung.references)
        if motionSearch >= X264_ME_ESA {
            // x264 cannot return to an exhaustive search later, nor to a wider one.
            result.motionSearch = X264_ME_ESA
        } else {
            result.motionSearch = min(motionSearch, rung.motionSearch)
            result.motionRange = min(motionRange, 16)
        }
        result.trellis = min(trellis, rung.trellis)
        result.mixedReferences = min(mixedReferences, rung.references > 1 && rung.trellis > 0 ? 1 : 0)
        if !rung.hasPartitions {
            result.interPartitions &= ~UInt32(X264_ANALYSE_PSUB16x16 | X264_ANALYSE_PSUB8x8 | X264_ANALYSE_BSUB16x16)
        }
        return result
    }
}

/// The settings from those that an encoder was opened with down to the cheapest. Each step is cheaper than the one
/// before.
///
/// Measured at 720p in one thread, with the presets slow, medium and veryfast. The last step is 8.7, 4.9 and 1.6 times
/// as fast as the first, and costs 1.2, 1.1 and 0.5 dB at the same rate.
struct AnalysisLadder: Sendable {
    fileprivate struct Rung {
        let subpixelRefinement: Int32
        let references: Int32
        let motionSearch: Int32
        let trellis: Int32
        let hasPartitions: Bool
    }

    private static let rungs = [
        Rung(subpixelRefinement: 6, references: 2, motionSearch: X264_ME_HEX, trellis: 1, hasPartitions: true),
        Rung(subpixelRefinement: 4, references: 2, motionSearch: X264_ME_HEX, trellis: 0, hasPartitions: true),
        Rung(subpixelRefinement: 2, references: 1, motionSearch: X264_ME_HEX, trellis: 0, hasPartitions: true),
        Rung(subpixelRefinement: 2, references: 1, motionSearch: X264_ME_HEX, trellis: 0, hasPartitions: false),
        // x264 cannot leave a refinement of 0 again.
        Rung(subpixelRefinement: 1, references: 1, motionSearch: X264_ME_DIA, trellis: 0, hasPartitions: false),
    ]

    private let steps: [AnalysisSettings]

    init(from opening: AnalysisSettings) {
        var steps = [opening]
        for rung in Self.rungs {
            let next = opening.limited(to: rung)
            if next != steps[steps.count - 1] { steps.append(next) }
        }
        self.steps = steps
    }

    /// The number of the cheapest step. Step 0 is as opened.
    var lastStep: Int { steps.count - 1 }

    subscript(step: Int) -> AnalysisSettings { steps[min(max(step, 0), lastStep)] }
}
