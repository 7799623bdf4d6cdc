// All of C that the modules CoreVideo, CoreMedia and VideoToolbox have, with CoreFoundation. A program sees it through this
// module alone, so that the names here hide those of the same spelling in C.
@_exported public import CCoreMedia
@_exported public import CCoreVideo
@_exported public import CVideoToolbox
// Programs for a Mac use Foundation's types after importing one of these modules alone.
@_exported public import Foundation
