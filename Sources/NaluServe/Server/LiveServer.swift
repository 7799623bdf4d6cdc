#if Serve
    internal import FlyingSocks
    internal import FoundationEssentials
    internal import NaluBase
    public import Nalu
    internal import NaluLibc

    /// Serves the page and the socket of a ``Broadcast``.
    ///
    /// Sockets and their events are FlyingFox's. Its HTTPServer is not used, because an error of accept, such as too many
    /// open files, ends all its connections. It also has no limit for the duration of a request, and none for the sizes of
    /// headers and WebSocket frames.
    public final class LiveServer: Sendable {
        /// The most connections that are not viewers. A further connection ends the oldest one.
        private static let mostRequests = 32

        private struct State: Sendable {
            var connections: [Connection] = []
            var isStopped = false
            var isRunning = true
        }

        let broadcast: Broadcast
        let options: ServeOptions
        /// The port that the server listens on.
        public let port: UInt16
        private let listener: Socket
        private let pool: any AsyncSocketPool
        private let check: RequestCheck
        private let state = Guarded(State())

        /// Starts to listen.
        ///
        /// - Throws: ``NaluError`` if this machine does not have the address, or the port is in use.
        public init(_ broadcast: Broadcast, options: ServeOptions) throws(NaluError) {
            self.broadcast = broadcast
            self.options = options
            _ = signal(SIGPIPE, SIG_IGN)
            check = RequestCheck(token: options.token, machine: Self.machineName)
            pool = SocketPool.make()
            do {
                listener = try Self.listen(options)
                port = try Self.port(of: listener)
            } catch {
                throw NaluError(
                    .inputOutput,
                    "cannot listen on \(options.address) port \(options.port): \(Self.reason(error)); expected an IP address "
                        + "of this machine and a free port")
            }
        }

        private static func listen(_ options: ServeOptions) throws -> Socket {
            let socket: Socket
            if options.address.contains(":") {
                let address = try sockaddr_in6.inet6(ip6: options.address, port: options.port)
                socket = try Socket(domain: AF_INET6)
                try bind(socket, to: address)
            } else {
                let address = try sockaddr_in.inet(ip4: options.address, port: options.port)
                socket = try Socket(domain: AF_INET)
                try bind(socket, to: address)
            }
            return socket
        }

        private static func bind(_ socket: Socket, to address: some SocketAddress) throws {
            do {
                try socket.setValue(true, for: .localAddressReuse)
                try socket.bind(to: address)
                try socket.listen()
            } catch {
                try? socket.close()
                throw error
            }
        }

        private static func port(of socket: Socket) throws -> UInt16 {
            switch try socket.sockname() {
            case .ip4(_, let port), .ip6(_, let port): port
            case .unix: 0
            }
        }

        private static func reason(_ error: any Error) -> String {
            if case .failed(_, _, let message)? = error as? SocketError { return message }
            return "it is not an IP address"
        }

        private static var machineName: String {
            unsafe CText.written(256) { name, capacity in _ = unsafe gethostname(name, capacity - 1) }
        }

        // MARK: Running

        /// Accepts connections in tasks of their own until ``stop()``.
        public func start() {
            Task {
                do {
                    try await pool.prepare()
                    let pool = pool
                    let events = Task { try await pool.run() }
                    let watch = Task { await watchConnections() }
                    await accept()
                    watch.cancel()
                    await endConnections()
                    events.cancel()
                } catch {}
                state.change { $0.isRunning = false }
            }
        }

        private func accept() async {
            guard let socket = try? AsyncSocket(socket: listener, pool: pool) else { return }
            while !state.withLock({ $0.isStopped }) {
                do {
                    let accepted = try await socket.accept()
                    let connection = Connection(accepted, server: self)
                    register(connection)
                    Task {
                        await connection.run()
                        state.change { state in state.connections.removeAll { $0 === connection } }
                    }
                } catch {
                    // Too many open files, or a client that has given up meanwhile. Neither ends the server.
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
        }

        private func register(_ connection: Connection) {
            let oldest: Connection? = state.withLock { state in
                state.connections.append(connection)
                let requests = state.connections.filter { !$0.isViewer && !$0.isEnded }
                return requests.count > Self.mostRequests ? requests.first : nil
            }
            oldest?.end()
        }

        /// Ends connections that exceed their time limit, and sends the state and pings to viewers.
        private func watchConnections() async {
            var round = 0
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(250))
                let now = MonotonicClock.seconds
                for connection in state.withLock({ $0.connections }) where connection.isOverdue(at: now) {
                    connection.end()
                }
                round += 1
                if round.isMultiple(of: 2) {
                    let frame = broadcast.stateFrame
                    for viewer in broadcast.viewers { viewer.send(message: frame) }
                }
                if round.isMultiple(of: 40) {
                    for viewer in broadcast.viewers { viewer.send(message: ServerFrame.ping) }
                }
            }
        }

        /// Stops accepting connections, notifies all viewers, and waits until they have disconnected, at most two seconds.
        public func stop() {
            state.withLock { $0.isStopped = true }
            _ = shutdown(listener.file.rawValue, Int32(SHUT_RDWR))
            _ = state.wait(milliseconds: 2000) { $0.isRunning ? nil : () }
        }

        private func endConnections() async {
            for viewer in broadcast.viewers { viewer.close(1001, "nalu serve has ended") }
            for _ in 0..<20 where !state.withLock({ $0.connections.isEmpty }) {
                try? await Task.sleep(for: .milliseconds(50))
            }
            for connection in state.withLock({ $0.connections }) { connection.end() }
            try? listener.close()
        }

        func decide(_ head: RequestHead) -> RequestCheck.Decision { check.decide(head) }
    }
#endif
