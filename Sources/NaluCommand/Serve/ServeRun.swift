#if Serve
    internal import ArgumentParser
    internal import Nalu
    internal import NaluBase
    private import NaluLibc
    internal import NaluMedia
    internal import NaluServe

    /// One run of `nalu serve`.
    struct ServeRun {
        private static let defaultBitRate = 4_000_000

        private enum End: Sendable {
            case interrupted
            case failed(any Error)
        }

        private let frames: any LiveFrames
        private let options: ServeOptions
        private let broadcast: Broadcast
        private let encoder: LiveEncoder
        private let isQuiet: Bool
        private let end: Guarded<End?>

        /// - Parameter encoder: the identifier of the encoder; nil for the usual one of H.264.
        init(
            _ frames: any LiveFrames, options: ServeOptions, encoder id: String?,
            asked: [(key: PropertyKey, value: PropertyValue?)], isQuiet: Bool
        ) throws {
            self.frames = frames
            self.options = options
            self.isQuiet = isQuiet
            let rate =
                asked.last { $0.key == .averageBitRate }?.value?.integerValue.map { Int($0) } ?? Self.defaultBitRate
            let settings = LiveEncoder.settings(asked, encoder: id, bitRate: rate, frameRate: frames.frameRate)
            broadcast = Broadcast(
                source: frames.name, bitRate: rate, isViewOnly: options.isViewOnly,
                canRefresh: settings.last { $0.key == .enableLTR }?.value == true)
            let end = Guarded<End?>(nil)
            self.end = end
            encoder = try LiveEncoder(
                broadcast, encoder: id, settings: settings, signal: { frames.signal },
                onFailure: { error in end.change { if $0 == nil { $0 = .failed(error) } } })
        }

        func run() throws {
            Interruption.ignoreBrokenPipes()
            try Interruption.watch { [end] in end.change { if $0 == nil { $0 = .interrupted } } }
            let server = try LiveServer(broadcast, options: options)
            server.start()
            try frames.start { [encoder] pixels, time in
                encoder.encode(pixels, captureTime: time)
            } end: { [end] error in
                end.change { if $0 == nil { $0 = .failed(error) } }
            }
            announce(server.port)
            let line = isQuiet ? nil : try ProgressLine.start(state: Self.state(of: broadcast))
            let reason = end.wait { $0 }
            line?.finish()
            frames.stop()
            encoder.end()
            server.stop()
            switch reason {
            case .failed(let error): throw error
            case .interrupted: throw ExitCode(Interruption.exitCode(Interruption.signal ?? SIGINT))
            }
        }

        /// Returns a function for the state of the run: viewers, rate and delay over the last second or so.
        private static func state(of broadcast: Broadcast) -> @Sendable () -> [String] {
            let last = Guarded((time: MonotonicClock.seconds, bytes: 0, rate: 0.0))
            return {
                let statistics = broadcast.statistics
                let now = MonotonicClock.seconds
                let rate = last.withLock { last in
                    if now - last.time >= 1 {
                        last.rate = Double(statistics.bytes - last.bytes) * 8 / (now - last.time)
                        (last.time, last.bytes) = (now, statistics.bytes)
                    }
                    return last.rate
                }
                guard statistics.viewers > 0 else { return ["no viewer"] }
                return [
                    NumberText.count(statistics.viewers, "viewer"), NumberText.count(statistics.frames, "frame"),
                    NumberText.scaled(rate, unit: "b/s"),
                    "\(NumberText.decimal(statistics.encodeDelay, places: 0)) ms to encode",
                ]
            }
        }

        /// Prints the addresses of the page.
        private func announce(_ port: UInt16) {
            let isAny = options.address == "0.0.0.0" || options.address == "::"
            let hosts =
                ServeOptions.isLoopback(options.address)
                ? ["localhost"] : isAny ? NetworkAddresses.own(ipv6: options.address == "::") : [options.address]
            for host in hosts.isEmpty ? ["localhost"] : hosts {
                let name = host.contains(":") ? "[\(host)]" : host
                let address = "http://\(name):\(port)\(options.target)"
                Console.print(isQuiet ? address : "\(frames.name) is at \(address)")
            }
        }
    }
#endif
