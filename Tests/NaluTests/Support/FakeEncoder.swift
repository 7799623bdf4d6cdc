@testable import Nalu

/// An encoder that follows a script and records each misuse: concurrent calls, calls after a failure or a flush, frames
/// in the wrong order or of a wrong size. Each call overwrites the bytes of the previous picture.
final class FakeEncoder: VideoEncoder {
    private typealias Held = (token: UInt64, luma: UInt8, isKey: Bool)

    let reorderDepth: Int
    let formatDescription: FormatDescription
    var effectiveParameters: String { "fake=\(index):frames=\(taken)" }
    var delayedFrames: Int { ready.count + waiting.count }

    private let all: FakeEncoders
    private let script: FakeScript
    private let setup: EncoderSetup
    private let index: Int
    private let life: LifeCounter.Life
    private let memory: UnsafeMutableRawBufferPointer
    /// Pictures in decode order that can be output.
    private var ready: [Held] = []
    /// The frames of an incomplete group.
    private var waiting: [Held] = []
    private var kept: Set<UInt64> = []
    private var taken = 0
    private var lastToken: UInt64?
    private var isBusy = false
    /// The reason why no further call is allowed; nil while calls are allowed.
    private var end: String?
    private var isDraining = false

    init(_ setup: EncoderSetup, of all: FakeEncoders) throws(NaluError) {
        let call = all.note { log in
            defer { log.opens += 1 }
            log.setups.append(setup)
            return log.opens
        }
        if all.script.failingOpens.contains(call) {
            all.note { $0.failedOpens += 1 }
            throw Self.failure("open", call, all, [])
        }
        self.all = all
        self.setup = setup
        script = all.script
        index = call
        life = all.alive.make()
        reorderDepth = script.reorderDepth
        formatDescription = try FormatDescription(
            parameterSets: [ParameterSetFixture.all[0].sps, ParameterSetFixture.all[0].pps])
        // This must be last, because a throwing init does not run deinit.
        memory = .allocate(byteCount: 8, alignment: 1)
    }

    deinit { memory.deallocate() }

    func encode(_ frame: EncoderFrame) throws(NaluError) -> EncoderOutput? {
        enter("encode")
        defer { isBusy = false }
        if isDraining { misuse("encode after drain") }
        let luma = frame.pixels.plane(0).baseAddress.load(as: UInt8.self)
        let call = all.note { log in
            defer { log.encodes += 1 }
            log.frames.append(
                FakeEncoders.Frame(
                    token: frame.token, presentationTime: frame.presentationTime, forceKeyFrame: frame.forceKeyFrame,
                    rate: frame.rate, luma: luma, format: frame.pixels.format, encoder: index,
                    qpOffsets: frame.qpOffsets))
            return log.encodes
        }
        if let lastToken, frame.token <= lastToken { misuse("token \(frame.token) after \(lastToken)") }
        if frame.pixels.width != setup.width || frame.pixels.height != setup.height || !frame.pixels.format.is420 {
            misuse("a \(frame.pixels.format) frame of \(frame.pixels.width)x\(frame.pixels.height)")
        }
        lastToken = frame.token
        script.gate?.pass()
        if script.milliseconds > 0 { TestThread.sleep(milliseconds: script.milliseconds) }
        if script.failingEncodes.contains(call) {
            end = "a failed encode"
            throw Self.failure("encode", call, all, kept.union(tokens).union([frame.token]))
        }
        if script.droppedTokens.contains(frame.token) { return .dropped(token: frame.token) }
        take(frame, luma)
        return ready.isEmpty || delayedFrames <= script.delay ? nil : next()
    }

    func retune(_ rate: RatePlan) {}

    func drain() throws(NaluError) -> EncoderOutput? {
        enter("drain")
        defer { isBusy = false }
        isDraining = true
        let call = all.note { log in
            defer { log.drains += 1 }
            return log.drains
        }
        if script.failingDrains.contains(call) {
            end = "a failed drain"
            throw Self.failure("drain", call, all, kept.union(tokens))
        }
        closeGroup()
        if ready.isEmpty {
            end = "the last picture"
            let kept = kept
            all.note { $0.lost.formUnion(kept) }
            return nil
        }
        return next()
    }

    // MARK: Inside

    private var tokens: [UInt64] { (ready + waiting).map { $0.token } }

    private func take(_ frame: EncoderFrame, _ luma: UInt8) {
        defer { taken += 1 }
        if script.keptTokens.contains(frame.token) {
            kept.insert(frame.token)
            return
        }
        let isKey = frame.forceKeyFrame || script.sceneCuts.contains(frame.token)
        if isKey {
            closeGroup()
            ready.append((frame.token, luma, true))
            return
        }
        if taken == 0 { misuse("the first frame of an encoder was not forced to be a key frame") }
        waiting.append((frame.token, luma, false))
        if waiting.count == script.group.count { closeGroup() }
    }

    private func closeGroup() {
        ready += script.order(of: waiting.count).map { waiting[$0] }
        waiting = []
    }

    private func next() -> EncoderOutput {
        let held = ready.removeFirst()
        all.note { $0.pictures.append(held.token) }
        memory.copyBytes(from: FakeEncoders.bytes(token: held.token, luma: held.luma, isKeyFrame: held.isKey))
        return .picture(
            EncodedPicture(
                token: held.token, data: UnsafeRawBufferPointer(memory), isKeyFrame: held.isKey, isIntra: held.isKey,
                isReference: true, averageQP: .nan))
    }

    private func enter(_ call: String) {
        if isBusy { misuse("\(call) during another call") }
        isBusy = true
        if let end { misuse("\(call) after \(end)") }
        for index in memory.indices { memory[index] = 0xee }
    }

    private func misuse(_ sentence: String) {
        all.note { $0.misuse.append(sentence) }
    }

    private static func failure(
        _ name: String, _ call: Int, _ all: FakeEncoders, _ lost: Set<UInt64>
    ) -> NaluError {
        let sentence = "\(name) call \(call) failed as the script says"
        all.note { log in
            log.lost.formUnion(lost)
            log.sentence = sentence
        }
        return NaluError(FakeScript.error, sentence)
    }
}
