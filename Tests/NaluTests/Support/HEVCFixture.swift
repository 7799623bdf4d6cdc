/// Parameter sets of x265 for 4:2:0 and 172 x 140 pixels.
enum HEVCFixture {
    static let vps = TestBytes.hex("40010c01ffff01600000030090000003000003003c959809")
    static let sps = TestBytes.hex(
        "42010101600000030090000003000003003ca016202477796566924cafffc080b0df69c2000007d20000ea6010")
    static let pps = TestBytes.hex("4401c172b46240")
}
