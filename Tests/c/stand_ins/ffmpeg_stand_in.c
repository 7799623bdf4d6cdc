/* Replaces a library of FFmpeg. FUNCTION, its only function, returns VERSION, which is not a supported version. */
unsigned FUNCTION(void);

unsigned FUNCTION(void) { return VERSION; }
