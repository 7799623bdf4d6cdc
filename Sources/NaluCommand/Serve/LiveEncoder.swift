#if Serve
    internal import Nalu
    internal import NaluBase
    internal import NaluMedia
    internal import NaluServe

    /// Encodes live frames for the viewers of a ``NaluServe/Broadcast``.
    ///
    /// One thread calls ``encode(_:captureTime:)``.
    final class LiveEncoder: Sendable {
        private struct State: Sendable {
            var session: CompressionSession?
            var size = (width: 0, height: 0)
            var failure: (any Error)?
            /// The requests for frames whose samples have not arrived, by the frames' times.
            var requests: [Int64: Broadcast.Request] = [:]
        }

        private let broadcast: Broadcast
        /// The identifier of the encoder; nil for the usual one of H.264.
        private let encoderID: String?
        private let settings: [(key: PropertyKey, value: PropertyValue?)]
        private let signal: @Sendable () -> [(key: PropertyKey, value: PropertyValue?)]
        private let onFailure: @Sendable (any Error) -> Void
        private let state = Guarded(State())

        /// Returns the settings for live video, over which the user's settings take precedence. Not every encoder refers to
        /// acknowledged frames.
        ///
        /// - Parameters:
        ///   - encoder: the identifier of the encoder; nil for the usual one of H.264.
        ///   - bitRate: the bit rate in bits per second.
        static func settings(
            _ asked: [(key: PropertyKey, value: PropertyValue?)], encoder: String?, bitRate: Int, frameRate: Double?
        ) -> [(key: PropertyKey, value: PropertyValue?)] {
            var all = CompressionPreset.videoConferencing.settings(codec: EncoderRegistry.h264, encoderID: encoder)
            let id = encoder ?? EncoderRegistry.usual.id.description
            if PropertyCatalog.info(.enableLTR)?.encoderIDs.contains(id) == true {
                all.append((.enableLTR, true))
            }
            all.append((.averageBitRate, .integer(Int64(bitRate))))
            if let frameRate { all.append((.expectedFrameRate, .double(frameRate))) }
            for setting in asked { all.removeAll { $0.key == setting.key } }
            return all + asked
        }

        /// - Parameters:
        ///   - encoder: the identifier of the encoder; nil for the usual one of H.264.
        ///   - settings: the result of ``settings(_:encoder:bitRate:frameRate:)``.
        ///   - signal: returns ``LiveFrames/signal``, over which `settings` take precedence.
        ///   - onFailure: called once, if encoding ends.
        init(
            _ broadcast: Broadcast, encoder: String?, settings: [(key: PropertyKey, value: PropertyValue?)],
            signal: @escaping @Sendable () -> [(key: PropertyKey, value: PropertyValue?)],
            onFailure: @escaping @Sendable (any Error) -> Void
        ) throws(Failure) {
            self.broadcast = broadcast
            encoderID = encoder
            self.onFailure = onFailure
            self.settings = settings
            self.signal = signal
            // Settings that the encoder refuses are reported before anybody waits for a picture.
            do {
                let trial = try CompressionSession(width: 640, height: 360, encoderID: encoder) { _ in }
                try trial.set(settings)
                try trial.prepare()
                try trial.invalidate()
            } catch {
                throw Failure(ofSettings: error)
            }
        }

        /// Encodes a frame if there are viewers. A frame is dropped if the encoder is busy.
        func encode(_ pixels: LivePixels, captureTime: Int64) {
            guard let request = broadcast.nextFrame(captureTime: captureTime) else { return }
            do throws(NaluError) {
                let session = try session(for: pixels.size)
                if let rate = request.bitRate { try session.set(.averageBitRate, .integer(Int64(rate))) }
                var options = FrameOptions(forceKeyFrame: request.needsKeyFrame, doNotWait: true)
                options.forceLTRRefresh = request.needsRefresh
                if let token = request.acknowledgedToken { options.acknowledgedLTRTokens = [token] }
                state.withLock { $0.requests[captureTime] = request }
                let time = MediaTime(value: captureTime, timescale: 1_000_000)
                switch pixels {
                case .kept(let buffer): try unsafe session.encode(buffer, presentationTime: time, options: options)
                case .lent(let frame):
                    try unsafe session.encode(copying: frame.view, presentationTime: time, options: options)
                }
            } catch {
                state.withLock { _ = $0.requests.removeValue(forKey: captureTime) }
                if error.status == .wouldBlock { return broadcast.retry(request) }
                fail(error)
            }
        }

        private func fail(_ error: any Error) {
            let isFirst = state.withLock { state in
                defer { state.failure = state.failure ?? error }
                return state.failure == nil
            }
            if isFirst { onFailure(error) }
        }

        /// Returns the session for pictures of a size; a new one if the size has changed.
        private func session(for size: (width: Int, height: Int)) throws(NaluError) -> CompressionSession {
            let (old, oldSize) = state.withLock { ($0.session, $0.size) }
            if let old, oldSize == size { return old }
            try? old?.invalidate()
            let session = try CompressionSession(width: size.width, height: size.height, encoderID: encoderID) {
                [weak self] in self?.take($0)
            }
            let chosen = SourceSettings.overridden(by: settings)
            try session.set(signal().filter { !chosen.contains($0.key) } + settings)
            try session.set(.averageBitRate, .integer(Int64(broadcast.statistics.bitRate)))
            state.withLock { ($0.session, $0.size) = (session, size) }
            return session
        }

        private func take(_ frame: EncodedFrame) {
            if let sample = frame.sample {
                let time = sample.presentationTime.value
                state.withLock { _ = $0.requests.removeValue(forKey: time) }
                broadcast.send(sample, captureTime: time)
            } else if frame.status != .ok, frame.status != .invalidSession {
                fail(NaluError(frame.status, state.withLock { $0.session }?.lastError ?? "the encoder has failed"))
            } else {
                // The time of a dropped frame is unknown, so all older requests are repeated with the next frame.
                let requests = state.withLock { state in
                    defer { state.requests.removeAll() }
                    return state.requests.values.filter { $0.needsKeyFrame || $0.needsRefresh }
                }
                for request in requests { broadcast.retry(request) }
            }
        }

        func end() {
            try? state.withLock { $0.session }?.invalidate()
        }
    }
#endif
