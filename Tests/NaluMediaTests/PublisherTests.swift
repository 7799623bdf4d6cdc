import NaluBase
import Testing

@testable import NaluMedia

@Suite struct PublisherTests {
    @Test(arguments: [
        ("rtmp://host/live/key", "host", 1935), ("RTMP://user:secret@[::1]:80/a/b", "::1", 80),
        ("srt://a.b:9000", "a.b", 9000),
        ("udp://239.0.0.1:5000?ttl=2", "239.0.0.1", 5000), ("http://host/a.ts", "host", 80),
        ("https://host:8/a?x=.mp4", "host", 8),
    ])
    func addressesHaveAHostAndAPort(text: String, host: String, port: Int) throws {
        let address = try PublishAddress(text)
        #expect(address.host == host && address.port == port)
    }

    @Test(arguments: [
        "", "file.mp4", "rtmp:/host", "ftp://host/a", "srt://host", "udp://host:0", "srt://:9", "rtmp://h:99999/a",
        "srt://[::1",
        "rtmp://h/a b", "http://h/a.mp4", "://host", "srt://h:+9x",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: NaluError.self) { try PublishAddress(text) }
    }

    @Test func theParametersOfSRTAreRead() throws {
        let address = try PublishAddress(
            "srt://h:1?latency=300&streamid=a%20b%3D&passphrase=0123456789&pbkeylen=32&mode=caller")
        let parameters = try address.srtParameters(latency: 500)
        #expect(parameters.latency == 300 && parameters.streamID == "a b=" && parameters.keyLength == 32)
        #expect(try PublishAddress("srt://h:1").srtParameters(latency: 500).latency == 500)
        for wrong in ["latency=1", "latency=x", "mode=listener", "pbkeylen=5", "passphrase=short", "other=1", "%"] {
            #expect(throws: NaluError.self) { try PublishAddress("srt://h:1?\(wrong)").srtParameters(latency: 500) }
        }
    }

    @Test func messagesShowNoSecrets() throws {
        #expect(try PublishAddress("rtmp://user:word@host/live/key?token=1").shown == "rtmp://host/live/...")
        #expect(try PublishAddress("srt://host:9?passphrase=0123456789").shown == "srt://host:9")
        for query in ["passphrase=short", "passphrase=short%20secret&pbkeylen=5", "streamid=short&latency=1"] {
            let address = try PublishAddress("srt://host:9?\(query)")
            let error = #expect(throws: NaluError.self) { try address.srtParameters(latency: 500) }
            #expect(error?.message.contains("short") == false)
        }
    }

    @Test(arguments: [
        ("https://host/a.ts?x=1#y", "PUT /a.ts?x=1 HTTP/1.1\r\nHost: host\r\n", ""),
        ("https://host:8?x", "PUT /?x HTTP/1.1\r\nHost: host:8\r\n", ""),
        ("https://a:b%40c@[::1]:9/", "PUT / HTTP/1.1\r\nHost: [::1]:9\r\n", "\r\nAuthorization: Basic YTpiQGM="),
        ("https://a:bc@host/x", "PUT /x HTTP/1.1\r\nHost: host\r\n", "\r\nAuthorization: Basic YTpiYw=="),
    ])
    func theHeadOfAPutHasTheAddressAndTheUser(text: String, start: String, end: String) throws {
        let head = try PublishAddress(text).putHead
        #expect(head.hasPrefix(start) && head.hasSuffix(end + "\r\n\r\n"))
        #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n") || end.isEmpty)
    }

    @Test func theQueueKeepsTheBytesInOrder() {
        var queue = PublishQueue()
        var buffer: [UInt8] = []
        var (written, read) = (0, 0)
        for round in 0..<200 {
            for _ in 0...(round % 7) {
                let size = 1 + written * 7919 % 5000
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: written + $0) }
                queue.append(PublishQueue.Entry(size: size, time: 0, token: -1, isVideo: true), bytes)
                written += 1
            }
            for _ in 0..<(round % 5) {
                guard let size = queue.take(into: &buffer) else { continue }
                #expect(size == 1 + read * 7919 % 5000)
                #expect((0..<size).allSatisfy { buffer[$0] == UInt8(truncatingIfNeeded: read + $0) })
                read += 1
            }
        }
        #expect(queue.dropWaiting() == written - read)
        #expect(queue.waitingBytes == 0 && queue.take(into: &buffer) == nil)
    }

    @Test func acknowledgedBytesEndTheDelay() {
        var queue = PublishQueue()
        var buffer: [UInt8] = []
        for number in 0..<3 {
            queue.append(
                PublishQueue.Entry(size: 10, time: Double(number), token: Int64(number), isVideo: true),
                [UInt8](repeating: 0, count: 10))
        }
        _ = queue.take(into: &buffer)
        _ = queue.take(into: &buffer)
        #expect(queue.oldestTime == 0)
        queue.acknowledge(19)
        #expect(queue.oldestTime == 1 && queue.takenToken == 1)
        #expect(queue.dropWaiting() == 1)
        #expect(queue.lastToken == 1)
        queue.acknowledge(20)
        #expect(queue.oldestTime == nil)
    }

    @Test func afterADropOnlyASampleThatRefersToAnArrivedOneIsSent() throws {
        var options = PublisherOptions()
        options.allowsLTRRefresh = true
        options.maximumDelay = 0.1
        var state = PublishState(options, hasFeedback: true)
        state.statistics.state = .connected
        func add(_ token: Int64, _ reference: Int64, key: Bool = false, at time: Double) {
            state.add(
                [1, 2, 3], header: [9],
                PublishState.Facts(isVideo: true, isKeyFrame: key, token: token, reference: reference), at: time)
        }
        var buffer: [UInt8] = []
        add(0, -1, at: 0)
        #expect(state.advice(at: 0).forceKeyFrame)
        #expect(!state.advice(at: 0.1).forceKeyFrame)
        add(1, -1, key: true, at: 0)
        #expect(state.queue.take(into: &buffer) == 4)
        add(2, 1, at: 0.01)
        add(3, 2, at: 0.3)
        #expect(state.statistics.droppedSamples == 3)
        let advice = state.advice(at: 0.3)
        #expect(advice.forceLTRRefresh && !advice.forceKeyFrame)
        add(4, 3, at: 0.31)
        #expect(state.queue.isEmpty)
        add(5, 1, at: 0.32)
        add(6, 5, at: 0.33)
        #expect(state.queue.waitingCount == 2)
    }

    @Test func fewFramesWaitIfARefreshCanFollow() {
        for allowsRefresh in [false, true] {
            var options = PublisherOptions()
            options.allowsLTRRefresh = allowsRefresh
            var state = PublishState(options, hasFeedback: true)
            state.statistics.state = .connected
            var buffer: [UInt8] = []
            for token in Int64(0)..<9 {
                state.add(
                    [1, 2, 3], header: [9],
                    PublishState.Facts(isVideo: true, isKeyFrame: token == 0, token: token, reference: token - 1),
                    at: 0.001 * Double(token))
                if token == 0 { _ = state.queue.take(into: &buffer) }
            }
            #expect(state.statistics.droppedSamples == (allowsRefresh ? 8 : 0))
            let advice = state.advice(at: 0.01)
            #expect(advice.forceLTRRefresh == allowsRefresh && !advice.forceKeyFrame)
            #expect(advice.acknowledgedLTRToken == (allowsRefresh ? 0 : nil))
        }
    }

    @Test func optionsOutsideTheirRangesAreRefused() {
        func check(_ change: (inout PublisherOptions) -> Void) {
            var options = PublisherOptions()
            change(&options)
            #expect(throws: NaluError.self) { try Publisher(url: "udp://127.0.0.1:9", options: options) }
        }
        check { $0.maximumDelay = .nan }
        check { $0.maximumDelay = 11 }
        check { $0.connectTimeout = 0 }
        check { $0.stallTimeout = -1 }
        check { $0.reconnectDelay = .infinity }
        check { $0.maximumReconnectDelay = 0.1 }
        check { $0.attemptLimit = -1 }
        check { $0.minimumBitRate = 1 }
        check { ($0.minimumBitRate, $0.maximumBitRate) = (2_000_000, 1_000_000) }
    }
}
