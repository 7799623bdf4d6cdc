internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// A demuxer's packets, some of which were read ahead.
@safe
final class PacketSource {
    let demuxer: Demuxer
    let queue = PacketQueue()
    private let input: InputStream
    private var failedAt: Int64 = -1
    private var isRefusalTold = false
    /// Something could not be read ahead.
    private(set) var hasSkipped = false
    /// Nothing comes any more.
    private var isAtEnd = false
    private var isEndChecked = false
    /// The input was cut off.
    private(set) var endsEarly = false

    init(_ demuxer: Demuxer, _ input: InputStream) {
        self.demuxer = demuxer
        self.input = input
    }

    /// The next packet in the file's order; false at the end. Throws `BAD_DATA` where something cannot be read; the next
    /// call goes on after it.
    func next(_ packet: Packet) throws(NaluError) -> Bool {
        if queue.take(into: packet) { return true }
        do throws(NaluError) {
            if try read(packet) { return true }
            try checkEnd()
            return false
        } catch {
            isRefusalTold = input.input.refusal != nil
            throw error
        }
    }

    /// Says once where the input ends too early, which libavformat does not.
    private func checkEnd() throws(NaluError) {
        guard !isEndChecked else { return }
        isEndChecked = true
        guard let fault = input.cutOff(hasAllSamples: { demuxer.hasAllSamples(within: $0) }) else { return }
        endsEarly = true
        throw NaluError(
            .badData, "the \(demuxer.format.prefix { $0 != "," }) data ends too early: \(fault)")
    }

    /// Reads one more packet ahead of those in the queue. False at the end, and where something cannot be read: whoever
    /// comes there in turn is reported. A lack of memory is reported at once: the next call would continue after the lost packet.
    func readAhead(_ packet: Packet) throws(NaluError) -> Bool {
        do throws(NaluError) {
            return try read(packet)
        } catch {
            guard error.status == .badData && !input.locale.hasLackedMemory else { throw error }
            hasSkipped = true
            return false
        }
    }

    private func read(_ packet: Packet) throws(NaluError) -> Bool {
        if isAtEnd { return false }
        let result = demuxer.read(packet)
        if result >= 0 {
            // What was cut off by a failure is not the file's fault.
            if input.failure == 0 || !packet.isCorrupt {
                if packet.isCorrupt && input.isAtEnd { endsEarly = true }
                // FFmpeg allocates as much as the container names, also for a sample that was cut off.
                if packet.isCorrupt { packet.shrink() }
                return true
            }
            packet.clear()
        }
        if input.input.refusal != nil && isRefusalTold {
            isAtEnd = true
            return false
        }
        let failure = demuxer.failure(result)
        if failure.status != .badData { throw failure }
        let place = input.position
        // A demuxer that is stuck says the same again and again.
        if input.input.refusal == nil && (result == nalu_ff_end_of_file() || place == failedAt) {
            isAtEnd = true
            return false
        }
        failedAt = place
        throw failure
    }

    /// After a seek nothing that was read ahead counts.
    func restart() {
        queue.removeAll()
        isAtEnd = false
        isEndChecked = false
        endsEarly = false
        failedAt = -1
    }
}
