/* Stands in for a header that HandBrake's build writes. No part that can be left out is there. */
#define HB_PROJECT_BUILD 0
