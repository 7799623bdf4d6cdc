/* Replaces a header that HandBrake's build generates. All optional parts are left out. */
#define HB_PROJECT_BUILD 0
