/* Functions that register codecs. All codecs are known without them. */
#include <VideoToolbox/VTProfessionalVideoWorkflow.h>
#include <VideoToolbox/VTUtilities.h>

void VTRegisterSupplementalVideoDecoderIfAvailable(FourCharCode codecType) { (void)codecType; }

void VTRegisterProfessionalVideoWorkflowVideoDecoders(void) {}

void VTRegisterProfessionalVideoWorkflowVideoEncoders(void) {}
