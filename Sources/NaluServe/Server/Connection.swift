#if Serve
    internal import FlyingSocks
    internal import FoundationEssentials
    internal import NaluBase
    internal import NaluLibc

    /// One connection: a request, and then its answer or a viewer.
    final class Connection: Sendable {
        /// The longest time in seconds for a request and its answer.
        private static let requestLimit = 5.0
        /// The most unsent bytes in the kernel for one viewer. The rest waits in the viewer's queue, which drops it if the
        /// viewer is too slow.
        private static let mostUnsentBytes: Int32 = 16 << 10

        private struct State: Sendable {
            /// The descriptor; nil once it is closed.
            var descriptor: Int32?
            var isEnded = false
            var viewer: Viewer?
        }

        private let socket: AsyncSocket
        private let server: LiveServer
        private let start = MonotonicClock.seconds
        private let state: Guarded<State>

        init(_ socket: AsyncSocket, server: LiveServer) {
            self.socket = socket
            self.server = server
            let descriptor = socket.socket.file.rawValue
            state = Guarded(State(descriptor: descriptor))
            Self.set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
            Self.set(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, Self.mostUnsentBytes)
        }

        private static func set(_ descriptor: Int32, _ level: Int, _ option: Int32, _ value: Int32) {
            var value = value
            // A failure is ignored: without these options there is only more delay.
            _ = unsafe setsockopt(descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size))
        }

        var isViewer: Bool { state.withLock { $0.viewer != nil } }
        var isEnded: Bool { state.withLock { $0.isEnded } }

        /// Whether the client is slower than the limits allow.
        func isOverdue(at now: Double) -> Bool {
            let viewer = state.withLock { $0.viewer }
            return viewer?.isOverdue(at: now) ?? (now - start > Self.requestLimit)
        }

        /// Ends the connection, which wakes the tasks that read and write.
        func end() {
            state.withLock { state in
                state.isEnded = true
                if let descriptor = state.descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
            }
        }

        /// Reads the request and answers it. Returns when the connection is closed.
        func run() async {
            do {
                if let (head, rest) = try await readHead() { try await answer(head, rest) }
            } catch {}
            state.withLock { state in
                state.descriptor = nil
                state.isEnded = true
                try? socket.close()
            }
        }

        /// Returns the head and the bytes after it; nil if the request was refused.
        private func readHead() async throws -> (RequestHead, ArraySlice<UInt8>)? {
            var bytes: [UInt8] = []
            while true {
                let searched = bytes.count - 3
                bytes += try await socket.read(atMost: 4096)
                if let size = RequestHead.size(of: bytes, from: searched) {
                    do throws(RequestHead.Malformed) {
                        return (try RequestHead(bytes[..<size]), bytes[size...])
                    } catch {
                        try await refuse(400, error.message)
                        return nil
                    }
                }
                if bytes.count > RequestHead.maximumSize {
                    try await refuse(431, "the request is longer than \(RequestHead.maximumSize) bytes")
                    return nil
                }
            }
        }

        private func answer(_ head: RequestHead, _ rest: ArraySlice<UInt8>) async throws {
            switch server.decide(head) {
            case .refused(let status, let message): try await refuse(status, message)
            case .page(let withBody):
                let page = LivePage.bytes
                try await write(200, LivePage.headers(host: head.value("host") ?? ""), size: page.count)
                if withBody { try await socket.write(page) }
            case .socket: try await serve(head, rest)
            }
        }

        // MARK: Answers

        private func refuse(_ status: Int, _ message: String) async throws {
            let body = Data((message + "\n").utf8)
            try await write(status, [("Content-Type", "text/plain; charset=utf-8")], size: body.count, body)
        }

        private func write(
            _ status: Int, _ headers: [(name: String, value: String)], size: Int, _ body: Data = Data()
        ) async throws {
            let phrases = [
                200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
                413: "Content Too Large", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
            ]
            var text = "HTTP/1.1 \(status) \(phrases[status] ?? "Error")\r\n"
            for header in headers + [("Content-Length", "\(size)"), ("Connection", "close")] {
                text += "\(header.name): \(header.value)\r\n"
            }
            try await socket.write(Data((text + "\r\n").utf8) + body)
        }

        // MARK: Viewers

        /// Shakes hands and runs a viewer until it or the server ends the connection.
        private func serve(_ head: RequestHead, _ rest: ArraySlice<UInt8>) async throws {
            guard let accept = Handshake.accept(head) else {
                return try await refuse(400, "the request does not begin a WebSocket of version 13")
            }
            try await socket.write(accept)
            let viewer = Viewer()
            guard server.broadcast.join(viewer, limit: server.options.maximumViewers) else {
                try await socket.write(
                    ServerFrame.close(
                        1013, "all \(server.options.maximumViewers) places are taken; close another page"))
                return
            }
            state.withLock { $0.viewer = viewer }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? await self.write(to: viewer)
                    self.end()
                }
                group.addTask {
                    try? await self.read(from: viewer, rest)
                    // The close frame is written before the connection ends.
                    viewer.close(1000, "")
                }
                await group.waitForAll()
            }
            server.broadcast.leave(viewer)
        }

        private func write(to viewer: Viewer) async throws {
            defer { viewer.abandon() }
            while let frame = await viewer.next() { try await socket.write(frame) }
        }

        private func read(from viewer: Viewer, _ rest: ArraySlice<UInt8>) async throws {
            var frames = ClientFrames()
            frames.append(rest)
            while true {
                do throws(ClientFrames.Violation) {
                    while let message = try frames.next() {
                        guard viewer.hear() else {
                            return viewer.close(1008, "too many messages; at most 300 a second are accepted")
                        }
                        switch message {
                        case .text(let text): server.broadcast.receive(text, from: viewer)
                        case .ping(let payload): viewer.send(message: ServerFrame.pong(payload))
                        case .pong: break
                        case .close: return viewer.close(1000, "")
                        }
                    }
                } catch {
                    return viewer.close(error.code, error.reason)
                }
                frames.append(try await socket.read(atMost: 4096))
            }
        }
    }
#endif
