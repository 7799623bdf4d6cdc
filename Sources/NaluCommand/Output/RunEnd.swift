internal import ArgumentParser
internal import Nalu

/// The end of a run: its last message and its exit code.
struct RunEnd {
    let output: String
    /// The end of an error message if the output was removed because it was not complete; see ``OutputFile/loss``.
    var loss: String?
    /// The number of frames that were written.
    let frames: Int
    let isQuiet: Bool

    /// Returns true if the summary is to be printed: it states what the output has.
    func hasSummary(_ failure: (any Error)?) -> Bool {
        !isQuiet && frames > 0 && loss == nil && (failure as? Failure)?.isOfOutput != true
    }

    func conclude(_ failure: (any Error)?) throws {
        if let failure {
            guard frames > 0, (failure as? Failure)?.isOfOutput != true else { throw failure }
            let message = (failure as? Failure)?.message ?? (failure as? NaluError)?.message ?? "\(failure)"
            if let loss { throw Failure(message + loss) }
            throw Failure("\(message); \(NumberText.count(frames, "frame")) written to \(output)")
        }
        if let signal = Interruption.signal {
            if !isQuiet { Console.error("nalu: interrupted; all frames that were read are in \(output)") }
            throw ExitCode(Interruption.exitCode(signal))
        }
    }
}
