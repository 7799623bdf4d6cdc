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
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: [
        .systemLibrary(name: "CNalu", path: "include"),
        .systemLibrary(name: "CX264", path: "Sources/CX264", pkgConfig: "x264", providers: [.apt(["libx264-dev"])]),
        .systemLibrary(name: "CYUV", path: "Sources/CYUV", providers: [.apt(["libyuv-dev"])]),
        // The build needs FFmpeg's headers (libavformat-dev, libavcodec-dev, libavutil-dev). The first call loads its
        // libraries.
        .target(name: "CFFmpeg", path: "Sources/CFFmpeg", publicHeadersPath: ".", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CPixelKernels", path: "Sources/CPixelKernels"),
        .target(name: "NaluLibc", swiftSettings: strict),
        .target(name: "NaluBase", dependencies: ["NaluLibc"], swiftSettings: strict),
        .target(name: "NaluBitstream", dependencies: ["NaluBase"], swiftSettings: strict),
        .target(
            name: "Nalu", dependencies: ["CX264", "CYUV", "CPixelKernels", "NaluBase", "NaluBitstream", "NaluLibc"],
            swiftSettings: strict),
        .target(
            name: "NaluMedia",
            dependencies: ["CFFmpeg", "CPixelKernels", "Nalu", "NaluBase", "NaluBitstream", "NaluLibc"],
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
            name: "VTLiveEncoder", dependencies: ["VideoToolbox"], path: "examples/videotoolbox/VTLiveEncoder"),
        .executableTarget(name: "VTPlayer", dependencies: ["VideoToolbox"], path: "examples/videotoolbox/VTPlayer"),
        .executableTarget(name: "VTDemux", dependencies: ["CoreMedia"], path: "examples/videotoolbox/VTDemux"),
        // The same as the example VTLiveEncoder with libnalu's own interface. A test compares the streams.
        .executableTarget(
            name: "plain_live_encoder", dependencies: ["CNalu", "NaluC"], path: "Tests/videotoolbox/plain",
            cSettings: [.headerSearchPath("../../../include")]),
        .executableTarget(
            name: "NaluCommand",
            dependencies: [
                "CNalu", "Nalu", "NaluBase", "NaluBitstream", "NaluLibc", "NaluMedia",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .target(name: "CTimeLimit", path: "Tests/CTimeLimit"),
        .testTarget(
            name: "NaluTests", dependencies: ["Nalu", "NaluC", "NaluBase", "NaluBitstream", "CNalu", "CTimeLimit"]),
        .testTarget(name: "VideoToolboxTests", dependencies: ["VideoToolbox", "CTimeLimit"]),
        .testTarget(
            name: "NaluMediaTests", dependencies: ["Nalu", "NaluBase", "NaluBitstream", "NaluMedia", "CTimeLimit"]),
    ],
    swiftLanguageModes: [.v6]
)
