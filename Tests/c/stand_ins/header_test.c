/* Includes one public header, alone and twice; scripts/check_headers compiles it for each header, compiler and
 * language standard. */
#include NALU_HEADER
#include NALU_HEADER

int main(void) { return 0; }
