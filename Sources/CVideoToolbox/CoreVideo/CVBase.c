#include <CoreVideo/CVBase.h>

const CVTime kCVZeroTime = {0, 1, 0};
const CVTime kCVIndefiniteTime = {0, 0, kCVTimeIsIndefinite};
