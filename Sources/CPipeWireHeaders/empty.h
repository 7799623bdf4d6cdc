/* The package file of libpipewire-0.3 has the paths of its headers for Sources/CPipeWire. */
