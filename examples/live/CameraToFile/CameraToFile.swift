// Captures a camera, a screen or the test source, and writes an H.264 file in real time.
//
//     CameraToFile camera|screen|test|DEVICE OUT.h264 [SECONDS]
//
// Without SECONDS it captures until Ctrl-C. The summary has the delay from capture to the encoded sample.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Nalu
import NaluMedia
import Synchronization

/// One recording. The handlers of the capture and of the encoder have one thread each.
final class Recording: Sendable {
    private struct State {
        /// Created by the first picture, which has the size.
        var encoder: CompressionSession?
        var samples = 0
        /// The sum of the delays from capture to sample, in seconds.
        var delays = 0.0
        var failure: (any Error)?
    }

    private static let frameRate: Int32 = 30
    private let file: FileHandle
    private let state = Mutex(State())
    /// Signalled when the recording must end.
    let ending = DispatchSemaphore(value: 0)

    init(path: String) throws {
        let url = URL(fileURLWithPath: path)
        try Data().write(to: url)
        file = try FileHandle(forWritingTo: url)
    }

    /// Captures for a time, or until ``ending``.
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
        try file.close()
        let (samples, delays, failure) = state.withLock { ($0.samples, $0.delays, $0.failure) }
        if let failure { throw failure }
        let delay = String(format: "%.1f", delays * 1000 / Double(max(1, samples)))
        print("\(samples) frames, \(capture.statistics.droppedFrames) dropped, \(delay) ms from capture to sample")
    }

    /// Encodes one picture. While the encoder is busy, the call waits, and the capture session drops late pictures.
    private func encode(_ frame: CaptureSession.Frame) {
        CallbackWaiting.allow()
        do {
            let encoder = try state.withLock { $0.encoder } ?? makeEncoder(for: frame.buffer)
            try unsafe encoder.encode(frame.buffer, presentationTime: frame.time, duration: frame.duration)
        } catch {
            finish(error)
        }
    }

    private func makeEncoder(for picture: PixelBuffer) throws -> CompressionSession {
        let encoder = try CompressionSession(width: picture.width, height: picture.height) { self.write($0) }
        try encoder.set([
            (.realTime, true), (.expectedFrameRate, .double(Double(Self.frameRate))), (.averageBitRate, 4_000_000),
        ])
        state.withLock { $0.encoder = encoder }
        return encoder
    }

    /// Writes one encoded picture. Its presentation time is the host time of its capture.
    private func write(_ frame: EncodedFrame) {
        guard let sample = frame.sample else { return }
        do {
            try file.write(contentsOf: sample.annexB())
            state.withLock { state in
                state.samples += 1
                state.delays += (HostTime.now - sample.presentationTime).seconds
            }
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
struct CameraToFile {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard 2...3 ~= arguments.count, let device = arguments.first else {
            print("usage: CameraToFile camera|screen|test|DEVICE OUT.h264 [SECONDS]")
            exit(2)
        }
        do {
            let recording = try Recording(path: arguments[2])
            // Ctrl-C ends the recording.
            signal(SIGINT, SIG_IGN)
            let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
            interruption.setEventHandler { recording.ending.signal() }
            interruption.resume()
            try recording.run(device: device, seconds: arguments.count > 2 ? Double(arguments[3]) ?? 1 : 1e9)
        } catch {
            print("CameraToFile: \((error as? NaluError)?.message ?? "\(error)")")
            exit(1)
        }
    }
}
