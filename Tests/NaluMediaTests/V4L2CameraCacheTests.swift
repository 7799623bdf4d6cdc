import NaluMedia
import Testing

@Suite("V4L2 camera cache")
struct V4L2CameraCacheTests {
    /// A device, and how often it was opened.
    private final class Device {
        var name: String?
        private(set) var openings = 0

        init(_ name: String?) { self.name = name }

        func describe(_ path: String) -> String? {
            openings += 1
            return name.map { "\($0) at \(path)" }
        }
    }

    private static let node = V4L2CameraCache<String>.Node(device: 81, inode: 7, seconds: 1000, nanoseconds: 5)

    @Test func `A camera is opened once while its node is the same`() {
        let device = Device("webcam")
        var cache = V4L2CameraCache<String>()
        for _ in 0..<1000 {
            let found = cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: device.describe)
            #expect(found == "webcam at /dev/video0")
        }
        #expect(device.openings == 1)
    }

    @Test func `A device that is no camera is opened a few times only`() {
        let device = Device(nil)
        var cache = V4L2CameraCache<String>()
        for _ in 0..<1000 {
            #expect(cache.camera("/dev/video1", node: Self.node, isVirtual: false, describe: device.describe) == nil)
        }
        #expect(device.openings == V4L2CameraCache<String>.mostOpenings)
    }

    @Test func `A camera whose driver needs a moment is found`() {
        let device = Device(nil)
        var cache = V4L2CameraCache<String>()
        #expect(cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: device.describe) == nil)
        device.name = "webcam"
        #expect(cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: device.describe) != nil)
        #expect(cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: device.describe) != nil)
        #expect(device.openings == 2)
    }

    @Test func `A node that was replaced or changed is opened again`() {
        var others = [Self.node, Self.node, Self.node, Self.node]
        others[0].device += 1
        others[1].inode += 1
        others[2].seconds += 1
        others[3].nanoseconds += 1
        for other in others {
            var cache = V4L2CameraCache<String>()
            let (first, second) = (Device("first"), Device("second"))
            #expect(cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: first.describe) != nil)
            let found = cache.camera("/dev/video0", node: other, isVirtual: false, describe: second.describe)
            #expect(found == "second at /dev/video0")
        }
    }

    @Test func `A device that was removed and returns is opened again`() {
        let (device, gone) = (Device("webcam"), Device(nil))
        var cache = V4L2CameraCache<String>()
        #expect(cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: device.describe) != nil)
        #expect(cache.camera("/dev/video0", node: nil, isVirtual: false, describe: gone.describe) == nil)
        #expect(cache.camera("/dev/video0", node: Self.node, isVirtual: false, describe: device.describe) != nil)
        #expect(device.openings == 2)
    }

    @Test func `A virtual device may become a camera at any time`() {
        let device = Device(nil)
        var cache = V4L2CameraCache<String>()
        for _ in 0..<10 {
            #expect(cache.camera("/dev/video4", node: Self.node, isVirtual: true, describe: device.describe) == nil)
        }
        device.name = "virtual camera"
        #expect(cache.camera("/dev/video4", node: Self.node, isVirtual: true, describe: device.describe) != nil)
        device.name = nil
        #expect(cache.camera("/dev/video4", node: Self.node, isVirtual: true, describe: device.describe) == nil)
    }
}
