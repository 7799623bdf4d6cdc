internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// The packets of a demuxer, some of which were read ahead.
@safe
final class PacketSource {
    let demuxer: Demuxer
    let queue = PacketQueue()
    private let input: InputStream
    /// The offset of the last failure, at which a demuxer that is stuck fails again; -1 before.
    private var failureOffset: Int64 = -1
    /// True if the client has received the error of a refused input.
    private var hasReportedRefusal = false
    /// The first failure of reading ahead that ``next(_:)`` has not thrown yet.
    private var pendingFailure: NaluError?
    /// True if something could not be read ahead.
    private(set) var hasSkipped = false
    /// True if no further packet can be read.
    private var isAtEnd = false
    private var isEndChecked = false
    /// flv: the offset of a last tag that has fewer bytes than it states; nil if there is none.
    private var cutTag: Int64?
    /// flv: the offset of the last tag that was read; nil before the first.
    private var lastTag: Int64?
    /// Transport and program streams: the times of each track.
    private var times: [Int: UnwrappedTimes] = [:]
    /// True if the times of a transport stream are known to begin again, or to jump back by more than a minute. A place in such
    /// a file does not show its time.
    var isLong = false
    /// True if the input was cut off.
    private(set) var endsEarly = false

    init(_ demuxer: Demuxer, _ input: InputStream) {
        self.demuxer = demuxer
        self.input = input
    }

    /// Reads the next packet in the order of the file. Returns false at the end. Throws `.badData` if something cannot
    /// be read; the next call continues after it.
    func next(_ packet: Packet) throws(NaluError) -> Bool {
        if queue.take(into: packet) { return true }
        do throws(NaluError) {
            if let failure = pendingFailure {
                pendingFailure = nil
                throw failure
            }
            if try read(packet) { return true }
            try checkEnd()
            return false
        } catch {
            hasReportedRefusal = input.input.refusal != nil
            throw error
        }
    }

    /// Throws once if the input ends too early, which libavformat does not report.
    private func checkEnd() throws(NaluError) {
        guard !isEndChecked else { return }
        isEndChecked = true
        let end = input.cutOff(lastTag: lastTag) { demuxer.hasAllSamples(within: $0) }
        guard let fault = cutTag.map(InputStream.incompleteTag) ?? end else { return }
        endsEarly = true
        throw NaluError(
            .badData, "the \(demuxer.format.prefix { $0 != "," }) data ends too early: \(fault)")
    }

    /// Reads one packet after those in the queue. Returns false at the end, and if something cannot be read:
    /// ``next(_:)`` then throws that failure after the packets in the queue. A lack of memory is thrown at once, because
    /// the next call would continue after the lost packet.
    func readAhead(_ packet: Packet) throws(NaluError) -> Bool {
        do throws(NaluError) {
            return try read(packet)
        } catch {
            guard error.status == .badData && !input.locale.hasLackedMemory else { throw error }
            hasSkipped = true
            pendingFailure = pendingFailure ?? error
            return false
        }
    }

    private func read(_ packet: Packet) throws(NaluError) -> Bool {
        if isAtEnd { return false }
        let result = demuxer.read(packet)
        if result >= 0 {
            // libavformat also hides a sample of a fragment whose decode time is not later than the one before.
            if packet.isHidden && demuxer.isFragmented(packet.streamIndex) { packet.isHidden = false }
            // A packet that is incomplete because reading failed is not the file's fault.
            if input.failure == 0 || !packet.isCorrupt {
                if packet.isCorrupt && input.isAtEnd {
                    endsEarly = true
                    if demuxer.format == "flv" {
                        // A copy of the packet would look complete.
                        cutTag = packet.position
                        packet.clear()
                        isAtEnd = true
                        return false
                    }
                }
                if demuxer.format == "flv", packet.position >= 0 { lastTag = packet.position }
                // FFmpeg allocates as many bytes as the container states, also for a sample that was cut off.
                if packet.isCorrupt { packet.shrink() }
                if demuxer.hasShortTimes { times[packet.streamIndex, default: UnwrappedTimes()].unwrap(packet) }
                return true
            }
            packet.clear()
        }
        if input.input.refusal != nil && hasReportedRefusal {
            isAtEnd = true
            return false
        }
        let failure = demuxer.failure(result)
        if failure.status != .badData { throw failure }
        let place = input.position
        // A demuxer that is stuck reports the same failure again and again.
        if input.input.refusal == nil && (result == nalu_ff_end_of_file() || place == failureOffset) {
            isAtEnd = true
            return false
        }
        failureOffset = place
        throw failure
    }

    /// Returns whether packets of a track had other times from libavformat.
    func hasMovedTimes(of track: Int) -> Bool { times[track]?.hasMoved ?? false }

    /// Discards everything that was read ahead, after a seek.
    ///
    /// - Parameter keepsTimes: whether the times of the next packets continue those that were read.
    func restart(keepsTimes: Bool = false) {
        queue.removeAll()
        if !keepsTimes { times = [:] }
        isAtEnd = false
        isEndChecked = false
        endsEarly = false
        cutTag = nil
        lastTag = nil
        failureOffset = -1
        pendingFailure = nil
    }
}
