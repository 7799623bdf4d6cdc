/* Stands for a library of FFmpeg that does not fit: VERSION is what it says of itself, and it has no other function. */
unsigned FUNCTION(void);

unsigned FUNCTION(void) { return VERSION; }
