/* The older spelling of the functions for a timebase's source, which used to be called its master. */
#include <CoreMedia/CMSync.h>

OSStatus CMTimebaseCreateWithMasterClock(CFAllocatorRef allocator, CMClockRef masterClock, CMTimebaseRef *timebaseOut) {
    return CMTimebaseCreateWithSourceClock(allocator, masterClock, timebaseOut);
}

OSStatus CMTimebaseCreateWithMasterTimebase(
    CFAllocatorRef allocator, CMTimebaseRef masterTimebase, CMTimebaseRef *timebaseOut) {
    return CMTimebaseCreateWithSourceTimebase(allocator, masterTimebase, timebaseOut);
}

CMTimebaseRef CMTimebaseCopyMasterTimebase(CMTimebaseRef timebase) { return CMTimebaseCopySourceTimebase(timebase); }

CMClockRef CMTimebaseCopyMasterClock(CMTimebaseRef timebase) { return CMTimebaseCopySourceClock(timebase); }

CMClockOrTimebaseRef CMTimebaseCopyMaster(CMTimebaseRef timebase) { return CMTimebaseCopySource(timebase); }

CMClockRef CMTimebaseCopyUltimateMasterClock(CMTimebaseRef timebase) {
    return CMTimebaseCopyUltimateSourceClock(timebase);
}

OSStatus CMTimebaseSetMasterClock(CMTimebaseRef timebase, CMClockRef newMasterClock) {
    return CMTimebaseSetSourceClock(timebase, newMasterClock);
}

OSStatus CMTimebaseSetMasterTimebase(CMTimebaseRef timebase, CMTimebaseRef newMasterTimebase) {
    return CMTimebaseSetSourceTimebase(timebase, newMasterTimebase);
}

/* Releases a reference that a Copy function returned. The object lives on, because the timebase retains it. */
static CFTypeRef let_go(CFTypeRef object) {
    if (object) CFRelease(object);
    return object;
}

CMTimebaseRef CMTimebaseGetMasterTimebase(CMTimebaseRef timebase) {
    return (CMTimebaseRef)let_go(CMTimebaseCopySourceTimebase(timebase));
}

CMClockRef CMTimebaseGetMasterClock(CMTimebaseRef timebase) {
    return (CMClockRef)let_go(CMTimebaseCopySourceClock(timebase));
}

CMClockOrTimebaseRef CMTimebaseGetMaster(CMTimebaseRef timebase) { return let_go(CMTimebaseCopySource(timebase)); }

CMClockRef CMTimebaseGetUltimateMasterClock(CMTimebaseRef timebase) {
    return (CMClockRef)let_go(CMTimebaseCopyUltimateSourceClock(timebase));
}
