import NaluLibc
import Testing

@testable import Nalu

@Suite struct TemporalLayersTests {
    private static func layers(_ fraction: Double, share: Double? = nil, takesOffsets: Bool = true) throws
        -> TemporalLayers
    {
        var configuration = SessionConfiguration()
        configuration.baseLayerFrameRateFraction = fraction
        configuration.baseLayerBitRateFraction = share
        return try #require(TemporalLayers(configuration, takesOffsets: takesOffsets))
    }

    @Test func everyNthFrameIsBase() throws {
        for period in [2, 4] {
            var layers = try Self.layers(1 / Double(period))
            let bases = (0..<12).map { _ in layers.note(isIntra: false) }
            #expect(bases == (0..<12).map { $0 % period == 0 })
        }
        #expect(TemporalLayers(SessionConfiguration(), takesOffsets: true) == nil)
    }

    @Test func anIntraFrameIsBaseAndBeginsAgain() throws {
        var layers = try Self.layers(0.25)
        let bases = (0..<12).map { layers.note(isIntra: $0 == 6) }
        #expect(bases.indices.filter { bases[$0] } == [0, 4, 6, 10])
    }

    @Test func onlyFramesBetweenHaveAnOffset() throws {
        var layers = try Self.layers(0.5)
        var offsets: [Float] = []
        for _ in 0..<4 {
            offsets.append(layers.nextOffset)
            _ = layers.note(isIntra: false)
        }
        #expect(offsets == [0, 3, 0, 3])
        var without = try Self.layers(0.5, takesOffsets: false)
        _ = without.note(isIntra: false)
        #expect(without.nextOffset == 0)
    }

    /// A model of an encoder: 6 QP steps halve the bits of a frame, and the base layer has 61 % without an offset.
    @Test(arguments: [0.4, 0.5, 0.6, 0.7, 0.8], [0, 8000.0]) func theShareIsReached(share: Double, keyBits: Double)
        throws
    {
        var layers = try Self.layers(0.5, share: share)
        var bits = (base: 0.0, between: 0.0)
        for number in 0..<300 {
            let offset = Double(layers.nextOffset)
            let isBase = layers.note(isIntra: number == 0)
            let noise = Double(number * 7919 % 13) / 13 * 40 - 20
            let size = isBase ? 610 + noise + (number == 0 ? keyBits : 0) : (390 + noise) * pow(2, -offset / 6)
            layers.note(bits: size, isBase: isBase)
            if isBase { bits.base += size } else { bits.between += size }
        }
        let reached = bits.base / (bits.base + bits.between)
        #expect(abs(reached - share) < 0.04, "\(reached)")
    }

    @Test func theOffsetStaysInItsRange() throws {
        var layers = try Self.layers(0.5, share: 0.9)
        for _ in 0..<1000 {
            let isBase = layers.note(isIntra: false)
            layers.note(bits: isBase ? 1 : 1000, isBase: isBase)
        }
        _ = layers.note(isIntra: false)
        #expect(layers.nextOffset == 18)
    }
}
