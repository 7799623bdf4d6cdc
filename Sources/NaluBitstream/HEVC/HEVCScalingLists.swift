/// Skips the scaling lists of an H.265 parameter set (ITU-T H.265 7.3.4).
enum HEVCScalingLists {
    static func skip(in reader: inout BitReader) throws(NaluError) {
        for size in 0..<4 {
            for _ in 0..<(size == 3 ? 2 : 6) {
                guard try reader.flag("scaling_list_pred_mode_flag") else {
                    _ = try reader.unsigned("scaling_list_pred_matrix_id_delta", 0...5)
                    continue
                }
                if size > 1 { _ = try reader.signed("scaling_list_dc_coef_minus8", -7...247) }
                for _ in 0..<(size == 0 ? 16 : 64) {
                    _ = try reader.signed("scaling_list_delta_coef", -128...127)
                }
            }
        }
    }
}
