// swift-tools-version: 6.2
// The Swift libraries, the command, and the Swift tests. CMakeLists.txt builds the shared libraries from the same
// sources, with a soname, a version script, a pkg-config file and a CMake package, which SwiftPM does not support.
import Foundation
import PackageDescription

/// The include path of the toolchain's CoreFoundation, which SwiftPM passes to Swift targets only. The toolchain is found
/// by a library of its own that is loaded in this process. The list is read line by line, because it may grow meanwhile,
/// and Foundation would then truncate it.
let coreFoundation: [CSetting] = {
    guard let maps = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(maps) }
    var buffer: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { free(buffer) }
    while getline(&buffer, &size, maps) > 0, let text = buffer {
        let line = String(cString: text)
        guard let path = line.firstIndex(of: "/"), let end = line.range(of: "/lib/swift/pm/") else { continue }
        return [
            .unsafeFlags(["-I", "\(line[path..<end.lowerBound])/lib/swift", "-fcf-runtime-abi=swift-5.0"])
        ]
    }
    return []
}()

/// The directories of PipeWire's headers. The pkg-config file has them too, but with it every program would be linked with
/// libpipewire, which the first call loads.
let pipeWire: [CSetting] = [
    .unsafeFlags(
        ["/usr/include", "/usr/local/include"].flatMap {
            ["-isystem", "\($0)/pipewire-0.3", "-isystem", "\($0)/spa-0.2"]
        })
]

/// The example with a window by SDL2, if SDL2's headers (libsdl2-dev) are installed.
let windowExample: [Target] =
    FileManager.default.fileExists(atPath: "/usr/include/SDL2/SDL.h")
    ? [
        .systemLibrary(name: "CSDL2", path: "examples/live/CSDL2", providers: [.apt(["libsdl2-dev"])]),
        .executableTarget(
            name: "NetworkToWindow", dependencies: ["CSDL2", "Nalu", "NaluMedia"],
            path: "examples/live/NetworkToWindow"),
    ] : []

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "nalu",
    products: [
        .library(name: "Nalu", targets: ["Nalu"]),
        .library(name: "NaluMedia", targets: ["NaluMedia"]),
        // The interfaces of Apple's frameworks, for Linux only. On a Mac, `import VideoToolbox` imports Apple's module.
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "CoreVideo", targets: ["CoreVideo"]),
        .library(name: "VideoToolbox", targets: ["VideoToolbox"]),
        .executable(name: "nalu", targets: ["NaluCommand"]),
    ],
    // A package that uses only the libraries excludes FlyingFox with `traits: []`, and then does not fetch it.
    traits: [
        .default(enabledTraits: ["Serve"]),
        .trait(name: "Serve", description: "The subcommand nalu serve, which needs FlyingFox."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
    ],
    targets: [
        .systemLibrary(name: "CNalu", path: "include"),
        .systemLibrary(name: "CX264", path: "Sources/CX264", pkgConfig: "x264", providers: [.apt(["libx264-dev"])]),
        .systemLibrary(name: "CYUV", path: "Sources/CYUV", providers: [.apt(["libyuv-dev"])]),
        // The build needs the header of libx265 (libx265-dev). The first session for H.265 loads the library.
        .target(
            name: "CX265", dependencies: ["CLoading"], path: "Sources/CX265", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        // The build needs FFmpeg's headers (libavformat-dev, libavcodec-dev, libavutil-dev, libswresample-dev). The
        // first call loads its libraries.
        .target(
            name: "CFFmpeg", dependencies: ["CLoading"], path: "Sources/CFFmpeg", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        // Optional libraries that are opened at their first use, and the screens of X11, which need some.
        .target(
            name: "CLoading", path: "Sources/CLoading", publicHeadersPath: ".", cSettings: [.define("_GNU_SOURCE")]),
        // The build needs OpenH264's headers (libopenh264-dev). The first session with that encoder loads the library.
        .target(
            name: "COpenH264", dependencies: ["CLoading"], path: "Sources/COpenH264", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "CX11", dependencies: ["CLoading"], path: "Sources/CX11", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        // The screens of Wayland, over D-Bus, and the cameras of the kernel.
        .target(
            name: "CPortal", dependencies: ["CLoading"], path: "Sources/CPortal", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        .systemLibrary(name: "CCamera", path: "Sources/CCamera"),
        .target(
            name: "CV4L2", dependencies: ["CCamera"], path: "Sources/CV4L2", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        // Windows and audio output of nalu play by SDL2, whose library the first call loads.
        .target(
            name: "CSDL", dependencies: ["CLoading"], path: "Sources/CSDL", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        // The build needs PipeWire's headers (libpipewire-0.3-dev). The first call loads its library.
        .target(
            name: "CPipeWire", dependencies: ["CCamera", "CLoading"], path: "Sources/CPipeWire", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")] + pipeWire),
        // The build needs libsrt's header. The first srt:// address loads the library.
        .target(
            name: "CNetwork", dependencies: ["CLoading"], path: "Sources/CNetwork", publicHeadersPath: ".",
            cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CPixelKernels", path: "Sources/CPixelKernels"),
        .target(name: "NaluLibc", swiftSettings: strict),
        .target(name: "NaluBase", dependencies: ["NaluLibc"], swiftSettings: strict),
        .target(name: "NaluBitstream", dependencies: ["NaluBase"], swiftSettings: strict),
        .target(
            name: "Nalu",
            dependencies: [
                "COpenH264", "CX264", "CX265", "CYUV", "CPixelKernels", "NaluBase", "NaluBitstream", "NaluLibc",
            ],
            swiftSettings: strict),
        .target(
            name: "NaluMedia",
            dependencies: [
                "CCamera", "CFFmpeg", "CNetwork", "CPipeWire", "CPixelKernels", "CPortal", "CV4L2", "CX11", "Nalu",
                "NaluBase", "NaluBitstream", "NaluLibc",
            ],
            swiftSettings: strict),
        .target(name: "NaluC", dependencies: ["CNalu", "Nalu", "NaluLibc", "NaluMedia"], swiftSettings: strict),
        .target(
            name: "CVideoToolbox", dependencies: ["CNalu", "NaluC"],
            cSettings: [.define("_GNU_SOURCE"), .headerSearchPath("../../include")]
                + coreFoundation,
            linkerSettings: [.linkedLibrary("Foundation")]),
        .target(name: "CoreFoundationTypes", dependencies: ["CVideoToolbox"], swiftSettings: strict),
        .target(name: "CoreVideo", dependencies: ["CoreFoundationTypes"], swiftSettings: strict),
        .target(name: "CoreMedia", dependencies: ["CoreFoundationTypes", "CoreVideo"], swiftSettings: strict),
        .target(
            name: "VideoToolbox", dependencies: ["CoreFoundationTypes", "CoreMedia", "CoreVideo"],
            swiftSettings: strict),
        .executableTarget(
            name: "CameraToFile", dependencies: ["Nalu", "NaluMedia"], path: "examples/live/CameraToFile"),
        .executableTarget(
            name: "ScreenToRTMP", dependencies: ["Nalu", "NaluMedia"], path: "examples/live/ScreenToRTMP"),
        .executableTarget(
            name: "MP4ToStream", dependencies: ["Nalu", "NaluMedia"], path: "examples/live/MP4ToStream"),
        .executableTarget(
            name: "VTLiveEncoder", dependencies: ["VideoToolbox"], path: "examples/videotoolbox/VTLiveEncoder"),
        .executableTarget(name: "VTPlayer", dependencies: ["VideoToolbox"], path: "examples/videotoolbox/VTPlayer"),
        .executableTarget(name: "VTDemux", dependencies: ["CoreMedia"], path: "examples/videotoolbox/VTDemux"),
        // The same as the example VTLiveEncoder with libnalu's own interface. A test compares the streams.
        .executableTarget(
            name: "plain_live_encoder", dependencies: ["CNalu", "NaluC"], path: "Tests/videotoolbox/plain",
            cSettings: [.headerSearchPath("../../../include")]),
        // The server of nalu serve: HTTP and WebSocket, without capture and encoding.
        .target(
            name: "NaluServe",
            dependencies: [
                "Nalu", "NaluBase", "NaluLibc",
                // Only FlyingFox's sockets: its HTTP part needs FoundationNetworking, and a static build then libcurl.
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Serve"])),
            ], resources: [.embedInCode("Page/live.html")], swiftSettings: strict),
        .executableTarget(
            name: "NaluCommand",
            dependencies: [
                .target(name: "NaluServe", condition: .when(traits: ["Serve"])),
                "CNalu", "CSDL", "Nalu", "NaluBase", "NaluBitstream", "NaluLibc", "NaluMedia",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .target(name: "CTimeLimit", path: "Tests/CTimeLimit"),
        .testTarget(
            name: "NaluTests", dependencies: ["Nalu", "NaluC", "NaluBase", "NaluBitstream", "CNalu", "CTimeLimit"]),
        .testTarget(name: "VideoToolboxTests", dependencies: ["VideoToolbox", "CTimeLimit"]),
        .testTarget(
            name: "NaluMediaTests", dependencies: ["Nalu", "NaluBase", "NaluBitstream", "NaluMedia", "CTimeLimit"]),
        .testTarget(name: "NaluServeTests", dependencies: ["NaluServe"]),
        .testTarget(
            name: "NaluCommandTests",
            dependencies: [
                "NaluCommand", "Nalu", "NaluMedia",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ] + windowExample,
    swiftLanguageModes: [.v6]
)
