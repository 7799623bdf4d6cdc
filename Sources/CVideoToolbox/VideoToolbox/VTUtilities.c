#include <VideoToolbox/VTUtilities.h>

void VTRegisterSupplementalVideoDecoderIfAvailable(FourCharCode codecType) { (void)codecType; }
