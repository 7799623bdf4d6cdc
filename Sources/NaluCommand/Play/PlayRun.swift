internal import ArgumentParser
internal import Nalu
internal import NaluBase
internal import NaluMedia

/// One run of `nalu play`: the window's keys control a player, until the input ends or the window is closed.
struct PlayRun {
    private let input: PlayInput
    private let options: Player.Options
    private let slot: PictureSlot
    private let isQuiet: Bool
    private let window: PictureWindow
    private let player: Player
    private let audio: AudioOutput?

    /// The rates that the keys select.
    private static let rates = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 4, 8]
    private static let seekStep = 5.0

    init(
        _ input: PlayInput, _ options: Player.Options, _ slot: PictureSlot, playsAudio: Bool, isFullScreen: Bool,
        isQuiet: Bool
    ) throws {
        self.input = input
        self.options = options
        self.slot = slot
        self.isQuiet = isQuiet
        var appearance = PictureWindow.Options()
        appearance.isFullScreen = isFullScreen
        appearance.isSynchronized = options.delay == nil
        appearance.orientation = Orientation(of: input.file.track)
        appearance.pixelAspect = input.pixelAspect
        appearance.matrix = input.colors.matrix
        window = try PictureWindow(
            title: Self.name(of: input), width: input.file.track.width, height: input.file.track.height, slot: slot,
            options: appearance)
        audio = playsAudio ? Self.openAudio(input, isQuiet: isQuiet) : nil
        player = try Player(input, options, audio: audio, slot: slot)
    }

    private static func name(of input: PlayInput) -> String {
        let name = input.file.name
        return name.contains("://") ? name : name.split(separator: "/").last.map(String.init) ?? name
    }

    /// Opens the audio device and the decoder of the audio track. The pictures are shown without them too.
    private static func openAudio(_ input: PlayInput, isQuiet: Bool) -> AudioOutput? {
        guard let track = input.audioTrack else { return nil }
        do {
            let output = try AudioOutput()
            try input.file.reader.decodeAudio(track: track, sampleRate: AudioOutput.sampleRate) { output.add($0) }
            return output
        } catch {
            let message = (error as? Failure)?.message ?? (error as? NaluError)?.message ?? "\(error)"
            if !isQuiet { Console.error("nalu: no audio: \(message)") }
            return nil
        }
    }

    func run() throws {
        try player.start()
        var title = ""
        while !player.isFinished || options.loops, Interruption.signal == nil {
            let event = window.wait(milliseconds: 20)
            if event == .close || event == .key("q") || event == .key("\u{1b}") { break }
            if case .key(let key)? = event { press(key) }
            let text = self.title
            if text != title {
                window.setTitle(text)
                title = text
            }
            if options.loops, player.state.withLock({ $0.failure != nil && $0.hasEnded }) { break }
        }
        let statistics = player.queue.statistics
        let end = player.position
        player.stop()
        if !isQuiet { Console.error(summary(statistics, end)) }
        if let signal = Interruption.signal { throw ExitCode(Interruption.exitCode(signal)) }
        if let failure = player.state.withLock({ $0.failure }) { throw failure }
        guard statistics.failedSamples == 0 else {
            throw Failure(
                "\(input.file.name) is corrupt: \(NumberText.count(Int(statistics.failedSamples), "sample")) could not be decoded"
            )
        }
    }

    // MARK: Keys

    private func press(_ key: Character) {
        switch key {
        case " ": player.togglePause()
        case ".": player.step()
        case "f": window.toggleFullScreen()
        case "←": if !player.seek(by: -Self.seekStep) { refuse("seek") }
        case "→": if !player.seek(by: Self.seekStep) { refuse("seek") }
        case "[", "↓": if !player.setRate(Self.rates.last { $0 < player.rate } ?? 0) { refuse("change its speed") }
        case "]", "↑": if !player.setRate(Self.rates.first { $0 > player.rate } ?? 8) { refuse("change its speed") }
        default: break
        }
    }

    private func refuse(_ action: String) {
        if !isQuiet { Console.error("nalu: \(input.file.name) cannot \(action)") }
    }

    private var title: String {
        var parts = [Self.name(of: input)]
        if player.isPaused { parts.append("paused") }
        let rate = player.rate
        if rate != 1 { parts.append("\(NumberText.decimal(rate, places: 2))x") }
        return parts.joined(separator: " - ")
    }

    // MARK: The end

    private func summary(_ statistics: DisplayQueue.Statistics, _ end: Double) -> String {
        let dropped = Int(statistics.latePictures) + slot.replacedCount
        var lines = [
            "\(input.file.name): \(NumberText.count(window.drawnCount, "frame")) shown, \(dropped) dropped, "
                + "\(NumberText.clock(end))"
        ]
        if let audio {
            lines[0] += ", \(NumberText.decimal(audio.seconds, places: 1)) s of audio"
        }
        guard options.delay != nil else { return lines[0] }
        var table = TextTable(header: ["delay in ms", "least", "mean", "p95", "most"], rightAligned: [1, 2, 3, 4])
        let stages = [
            ("receive", statistics.receive), ("decode", statistics.decode), ("show", statistics.show),
            ("draw", window.draw.delay),
        ]
        for (name, delay) in stages {
            table.add(
                [name]
                    + [delay.least, delay.mean, delay.p95, delay.most].map { NumberText.decimal($0 * 1000, places: 2) })
        }
        lines.append(table.text)
        return lines.joined(separator: "\n")
    }
}
