/// The beginning of an edit inside a picture, in units of the track (ISO/IEC 14496-12 8.6.6).
///
/// The edit displays that picture for the rest of its duration. libavformat hides the picture, and moves the start of the
/// next one to the beginning of the edit, so that all pictures of the edit are early (mov.c, mov_fix_index).
struct EditStart {
    /// The time from the beginning of the edit to the next picture.
    let rest: Int64
    /// The time from the picture to the next one.
    let distance: Int64

    /// Corrects the presentation time of a packet that has libavformat's, and displays the picture in which the edit
    /// begins. Pictures before that one stay hidden, and without a gap before it.
    ///
    /// - Parameter start: the presentation time of the edit's beginning.
    /// - Returns: whether the packet is the picture in which the edit begins.
    func correct(_ packet: Packet, start: Int64) -> Bool {
        let time = packet.presentation
        guard time != Packet.noTime else { return false }
        guard time < start else {
            packet.presentation = time &+ rest
            return false
        }
        packet.presentation = time &+ distance
        guard packet.presentation == start else { return false }
        packet.isHidden = false
        packet.duration = rest
        return true
    }
}
