// Shows a live stream, or a file, in a window at the times of its pictures.
//
//     NetworkToWindow udp://0.0.0.0:5000|srt://HOST:PORT|tcp://HOST:PORT|FILE
//
// A thread reads, the display queue decodes and waits for the times, and the main thread draws with SDL2. The key q or
// closing the window ends the program, which then prints the delays.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import CSDL2
import Foundation
import Nalu
import NaluMedia
import Synchronization

/// The playback of one input: from the reader's thread through the display queue to ``next``.
final class Player: Sendable {
    /// The delay after which a live picture is shown: the jitter that the network may have.
    private static let delay = MediaTime(value: 100, timescale: 1000)

    let queue: DisplayQueue
    private let reader: Reader
    private let timebase = Timebase()
    private let isLive: Bool
    /// The picture to draw next; only the main thread may draw.
    private let waiting: PictureBox

    private final class PictureBox: Sendable {
        private let state = Mutex<(picture: PixelBuffer?, isOver: Bool)>((nil, false))

        func put(_ picture: PixelBuffer?) { state.withLock { $0.picture = picture } }
        func end() { state.withLock { $0.isOver = true } }
        func take() -> (picture: PixelBuffer?, isOver: Bool) {
            state.withLock { state in
                defer { state.picture = nil }
                return state
            }
        }
    }

    init(address: String) throws {
        reader = try Reader(path: address)
        isLive = address.hasPrefix("udp://") || address.hasPrefix("srt://")
        var options = DisplayQueue.Options()
        options.decoder.pixelFormat = .bgra
        options.decoder.isLowDelay = isLive
        let waiting = PictureBox()
        self.waiting = waiting
        queue = try DisplayQueue(
            options: options, onEvent: { if $0 == .ended { waiting.end() } }, show: { waiting.put($0.image) })
        try queue.setControlTimebase(timebase)
        Thread.detachNewThread { self.read() }
    }

    /// The next picture, and whether the stream is over.
    func next() -> (picture: PixelBuffer?, isOver: Bool) { waiting.take() }

    func stop() throws {
        reader.cancel()
        try queue.invalidate()
    }

    /// Hands in the samples from the first key frame on. A full queue is waited for.
    private func read() {
        var hasBegun = false
        do {
            while let (_, sample) = try reader.nextSample() {
                if !hasBegun {
                    guard sample.isKeyFrame else { continue }
                    try timebase.setTime(isLive ? sample.decodeTime - Self.delay : sample.decodeTime)
                    try timebase.setRate(1)
                    hasBegun = true
                }
                if !queue.isReadyForMoreMediaData { try queue.waitUntilReady(seconds: 10) }
                try queue.enqueue(sample)
            }
        } catch {
            // The end of the window cancels the reader and invalidates the queue.
            if ![.cancelled, .invalidSession].contains(error.status) { NetworkToWindow.complain(error) }
        }
        try? queue.finish()
    }
}

/// A window with the newest picture, which keeps its shape.
struct Window {
    private let renderer: OpaquePointer
    private var texture: OpaquePointer?

    init(title: String) throws {
        guard SDL_Init(SDL_INIT_VIDEO) == 0,
            let window = SDL_CreateWindow(title, 100, 100, 960, 540, SDL_WINDOW_RESIZABLE.rawValue),
            let renderer = SDL_CreateRenderer(window, -1, 0)
        else { throw Failure(message: "there is no window: \(String(cString: SDL_GetError()))") }
        self.renderer = renderer
    }

    mutating func draw(_ picture: PixelBuffer) {
        let (width, height) = (Int32(picture.width), Int32(picture.height))
        if texture == nil {
            texture = SDL_CreateTexture(
                renderer, SDL_PIXELFORMAT_ARGB8888.rawValue, Int32(SDL_TEXTUREACCESS_STREAMING.rawValue), width, height)
            SDL_RenderSetLogicalSize(renderer, width, height)
        }
        SDL_UpdateTexture(texture, nil, picture.planeBaseAddress(0), Int32(picture.planeStride(0)))
        SDL_RenderClear(renderer)
        SDL_RenderCopy(renderer, texture, nil, nil)
        SDL_RenderPresent(renderer)
    }

    /// Waits for 2 ms. Returns true when the user ends the window.
    func isClosed() -> Bool {
        var event = SDL_Event()
        guard SDL_WaitEventTimeout(&event, 2) != 0 else { return false }
        return event.type == SDL_QUIT.rawValue
            || event.type == SDL_KEYDOWN.rawValue && event.key.keysym.sym == Int32(SDLK_q.rawValue)
    }
}

struct Failure: Error { let message: String }

@main
enum NetworkToWindow {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { return complain(Failure(message: "usage: ADDRESS or FILE")) }
        do {
            var window = try Window(title: CommandLine.arguments[1])
            let player = try Player(address: CommandLine.arguments[1])
            while !window.isClosed() {
                let (picture, isOver) = player.next()
                if let picture { window.draw(picture) }
                if isOver { break }
            }
            try player.stop()
            let facts = player.queue.statistics
            print("\(facts.shownPictures) shown, \(facts.latePictures) late, decoded in \(facts.decode.mean * 1000) ms")
        } catch {
            complain(error)
            exit(EXIT_FAILURE)
        }
    }

    static func complain(_ error: any Error) {
        let message = (error as? NaluError)?.message ?? (error as? Failure)?.message ?? "\(error)"
        FileHandle.standardError.write(Data("NetworkToWindow: \(message)\n".utf8))
    }
}
