#include <VideoToolbox/VTProfessionalVideoWorkflow.h>

void VTRegisterProfessionalVideoWorkflowVideoDecoders(void) {}

void VTRegisterProfessionalVideoWorkflowVideoEncoders(void) {}
