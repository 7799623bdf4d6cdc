// The C spellings.
@_exported public import CCoreMedia
@_exported public import CoreVideo
