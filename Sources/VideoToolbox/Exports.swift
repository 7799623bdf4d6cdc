// The C spellings.
@_exported public import CVideoToolbox
@_exported public import CoreMedia
@_exported public import CoreVideo
