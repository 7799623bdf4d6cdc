/* SDL2 for the Swift example. */
#include <SDL2/SDL.h>
