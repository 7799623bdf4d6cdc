// Captures a screen, and publishes it. The bit rate follows the link.
//
//     ScreenToRTMP screen|camera|test|DEVICE URL [SECONDS]      for example rtmp://localhost/live/stream
//
// Without SECONDS it publishes until Ctrl-C. The connection is made again when it is lost.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Nalu
import NaluMedia
import Synchronization

/// One stream. The handlers of the capture and of the encoder have one thread each.
final class Stream: Sendable {
    private struct State {
        /// Created by the first picture, which has the size.
        var encoder: CompressionSession?
        var track: Int?
        var failure: (any Error)?
    }

    private static let frameRate: Int32 = 30
    private static let highestBitRate: Int64 = 4_000_000
    private let publisher: Publisher
    private let state = Mutex(State())
    /// Signalled when the stream must end.
    let ending = DispatchSemaphore(value: 0)

    init(url: String) throws {
        publisher = try Publisher(url: url) { event, statistics in
            guard event == .status else { return print(event) }
            print(
                "rate \(statistics.bitRate / 1000) kb/s, delivered \(Int(statistics.throughput / 1000)) kb/s,",
                "queue \(Int(statistics.queueDelay * 1000)) ms, \(statistics.skippedFrames) skipped,",
                "\(statistics.droppedSamples) dropped")
        }
        try publisher.waitUntilConnected(timeout: 10)
    }

    /// Publishes for a time, or until ``ending``.
    func run(device identifier: String, seconds: Double) throws {
        var options = CaptureSession.Options()
        options.frameDuration = MediaTime(value: 1, timescale: Self.frameRate)
        let capture = try CaptureSession(
            device: CaptureDevices.device(identifier), options: options, video: { self.encode($0) },
            end: { self.finish($0) })
        try capture.start()
        _ = ending.wait(timeout: .now() + seconds)
        try capture.stop()
        try state.withLock { $0.encoder }?.complete()
        try publisher.finish(timeout: 5)
        if let failure = state.withLock({ $0.failure }) { throw failure }
        print("\(publisher.statistics.sentSamples) samples sent")
    }

    /// Encodes one picture. While the encoder is busy, the call waits, and the capture session drops late pictures.
    private func encode(_ frame: CaptureSession.Frame) {
        CallbackWaiting.allow()
        do {
            let encoder = try state.withLock { $0.encoder } ?? makeEncoder(for: frame.buffer)
            // Sets the session's rate to what the link delivers.
            let advice = try publisher.prepareFrame(of: encoder)
            guard !advice.skipsFrame else { return }
            var options = FrameOptions()
            options.forceKeyFrame = advice.forceKeyFrame
            try unsafe encoder.encode(
                frame.buffer, presentationTime: frame.time, duration: frame.duration, options: options)
        } catch {
            finish(error)
        }
    }

    private func makeEncoder(for picture: PixelBuffer) throws -> CompressionSession {
        let encoder = try CompressionSession(width: picture.width, height: picture.height) { self.publish($0) }
        // Viewers that join wait for a key frame.
        try encoder.set([
            (.realTime, true), (.expectedFrameRate, .double(Double(Self.frameRate))),
            (.averageBitRate, .integer(Self.highestBitRate)), (.maxKeyFrameIntervalDuration, 2.0),
        ])
        state.withLock { $0.encoder = encoder }
        return encoder
    }

    /// Hands in one encoded picture, which never waits for the network.
    private func publish(_ frame: EncodedFrame) {
        guard let sample = frame.sample else { return }
        do {
            let track = try state.withLock { $0.track } ?? publisher.addTrack(sample.formatDescription)
            state.withLock { $0.track = track }
            try publisher.write(sample, to: track)
        } catch {
            finish(error)
        }
    }

    private func finish(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
        ending.signal()
    }
}

@main
struct ScreenToRTMP {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard 2...3 ~= arguments.count, let device = arguments.first else {
            print("usage: ScreenToRTMP screen|camera|test|DEVICE URL [SECONDS]")
            exit(2)
        }
        do {
            let stream = try Stream(url: arguments[2])
            // Ctrl-C ends the stream.
            signal(SIGINT, SIG_IGN)
            let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
            interruption.setEventHandler { stream.ending.signal() }
            interruption.resume()
            try stream.run(device: device, seconds: arguments.count > 2 ? Double(arguments[3]) ?? 1 : 1e9)
        } catch {
            print("ScreenToRTMP: \((error as? NaluError)?.message ?? "\(error)")")
            exit(1)
        }
    }
}
