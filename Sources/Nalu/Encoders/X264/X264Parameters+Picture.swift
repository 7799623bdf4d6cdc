internal import CX264

extension X264Parameters {
    static func fillPicture(_ parameters: inout x264_param_t, _ setup: EncoderSetup) throws(NaluError) {
        let picture = setup.configuration.picture
        if let aperture = picture.cleanAperture {
            let cropping = try aperture.cropping(of: setup.geometry)
            unsafe parameters.crop_rect.i_left = Int32(cropping.left)
            unsafe parameters.crop_rect.i_right = Int32(cropping.right)
            unsafe parameters.crop_rect.i_top = Int32(cropping.top)
            unsafe parameters.crop_rect.i_bottom = Int32(cropping.bottom)
        }
        if setup.geometry.isInterlaced {
            unsafe parameters.b_interlaced = 1
            unsafe parameters.b_tff = (picture.fieldDetail ?? .temporalTopFirst).isTopFirst ? 1 : 0
            unsafe parameters.b_pic_struct = 1
            // x264 has neither weighted prediction nor exhaustive search for fields.
            unsafe parameters.analyse.i_weighted_pred = X264_WEIGHTP_NONE
            unsafe parameters.analyse.i_me_method = unsafe min(parameters.analyse.i_me_method, X264_ME_UMH)
        }
        guard picture.hdrMetadataInsertion != HDRMetadataInsertionMode.none else { return }
        if let display = picture.masteringDisplay {
            let values = display.chromaticities.map { Int32($0) }
            unsafe parameters.mastering_display.b_mastering_display = 1
            unsafe parameters.mastering_display.i_green_x = values[0]
            unsafe parameters.mastering_display.i_green_y = values[1]
            unsafe parameters.mastering_display.i_blue_x = values[2]
            unsafe parameters.mastering_display.i_blue_y = values[3]
            unsafe parameters.mastering_display.i_red_x = values[4]
            unsafe parameters.mastering_display.i_red_y = values[5]
            unsafe parameters.mastering_display.i_white_x = values[6]
            unsafe parameters.mastering_display.i_white_y = values[7]
            unsafe parameters.mastering_display.i_display_max = Int64(display.maxLuminance)
            unsafe parameters.mastering_display.i_display_min = Int64(display.minLuminance)
        }
        if let light = picture.contentLight {
            unsafe parameters.content_light_level.b_cll = 1
            unsafe parameters.content_light_level.i_max_cll = Int32(light.maximum)
            unsafe parameters.content_light_level.i_max_fall = Int32(light.maximumFrameAverage)
        }
    }
}
