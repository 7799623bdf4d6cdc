extension SampleAttachments {
    /// What an encoder says of a picture. `reorders`: the stream's decode order may differ from its presentation order.
    init(of picture: EncodedPicture, reorders: Bool) {
        self = []
        if !picture.isKeyFrame { insert(.notSync) }
        if picture.isRecoveryPoint { insert(.partialSync) }
        if !picture.isIntra { insert(.dependsOnOthers) }
        if picture.isReference { insert(.isDependedOnByOthers) }
        if reorders && picture.isReference && !picture.isKeyFrame {
            insert(.earlierDisplayTimesAllowed)
        }
    }
}
