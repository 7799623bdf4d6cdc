// Exports everything that the modules CoreVideo, CoreMedia and VideoToolbox import from C, with CoreFoundation.
// Programs see the C names only through this module, so that its own names hide C names of the same spelling.
@_exported public import CCoreMedia
@_exported public import CCoreVideo
@_exported public import CVideoToolbox
// Exported because programs for a Mac use Foundation's types after importing only one of these modules.
@_exported public import Foundation
