/* Times of samples, and of their output. */
#include "sample_buffer.h"

#include <math.h>
#include <string.h>

CMSampleTimingInfo nalu_sample_buffer_timing(CMSampleBufferRef buffer, CMItemIndex index) {
    if (buffer->timing_count > 1 || index == 0) return buffer->timings[buffer->timing_count > 1 ? index : 0];
    CMSampleTimingInfo timing = buffer->timings[0];
    /* With one entry for all samples, each sample begins where the previous one ends. */
    const CMTime earlier = index <= INT32_MAX ? CMTimeMultiply(timing.duration, (int32_t)index)
                                              : CMTimeMultiplyByFloat64(timing.duration, (Float64)index);
    timing.presentationTimeStamp = CMTimeAdd(timing.presentationTimeStamp, earlier);
    if (CMTIME_IS_VALID(timing.decodeTimeStamp)) timing.decodeTimeStamp = CMTimeAdd(timing.decodeTimeStamp, earlier);
    return timing;
}

/* ---- Times as the client set them ---- */

CMTime CMSampleBufferGetDuration(CMSampleBufferRef sbuf) {
    if (!sbuf || sbuf->timing_count == 0 || !CMSampleBufferIsValid(sbuf)) return kCMTimeInvalid;
    if (sbuf->timing_count == 1 && sbuf->count > 1 && sbuf->count <= INT32_MAX) {
        return CMTimeMultiply(sbuf->timings[0].duration, (int32_t)sbuf->count);
    }
    CMTime sum = sbuf->timings[0].duration;
    for (CMItemCount i = 1; i < sbuf->timing_count; i++) sum = CMTimeAdd(sum, sbuf->timings[i].duration);
    return sum;
}

/* Returns the earliest valid time of all entries. `offset` is the place of the time in CMSampleTimingInfo. */
static CMTime earliest(CMSampleBufferRef sbuf, size_t offset) {
    CMTime found = kCMTimeInvalid;
    if (!sbuf || !CMSampleBufferIsValid(sbuf)) return found;
    for (CMItemCount i = 0; i < sbuf->timing_count; i++) {
        CMTime time;
        memcpy(&time, (const char *)&sbuf->timings[i] + offset, sizeof time);
        if (CMTIME_IS_VALID(time) && (CMTIME_IS_INVALID(found) || CMTimeCompare(time, found) < 0)) found = time;
    }
    return found;
}

CMTime CMSampleBufferGetPresentationTimeStamp(CMSampleBufferRef sbuf) {
    return earliest(sbuf, offsetof(CMSampleTimingInfo, presentationTimeStamp));
}

CMTime CMSampleBufferGetDecodeTimeStamp(CMSampleBufferRef sbuf) {
    return earliest(sbuf, offsetof(CMSampleTimingInfo, decodeTimeStamp));
}

OSStatus CMSampleBufferGetSampleTimingInfo(CMSampleBufferRef sbuf, CMItemIndex sampleIndex,
    CMSampleTimingInfo *timingInfoOut) {
    if (!sbuf || !timingInfoOut) return kCMSampleBufferError_RequiredParameterMissing;
    *timingInfoOut = kCMTimingInfoInvalid;
    if (!CMSampleBufferIsValid(sbuf)) return kCMSampleBufferError_Invalidated;
    if (sampleIndex < 0 || sampleIndex >= sbuf->count) return kCMSampleBufferError_SampleIndexOutOfRange;
    if (sbuf->timing_count == 0) return kCMSampleBufferError_BufferHasNoSampleTimingInfo;
    *timingInfoOut = nalu_sample_buffer_timing(sbuf, sampleIndex);
    return noErr;
}

/* ---- Output ---- */

/* The changes that attachments make to the output times. */
struct output {
    CMTime trim_start, trim_end; /* zero if the attachment is missing */
    double speed;                /* more than 0 */
    bool reversed;
};

static CMTime time_attachment(CMSampleBufferRef sbuf, CFStringRef key) {
    CFTypeRef value = nalu_attachments_copy(&sbuf->attachments, key, NULL);
    CMTime time = kCMTimeZero;
    if (value && CFGetTypeID(value) == CFDictionaryGetTypeID()) time = CMTimeMakeFromDictionary(value);
    if (value) CFRelease(value);
    return CMTIME_IS_NUMERIC(time) ? time : kCMTimeZero;
}

static struct output output_of(CMSampleBufferRef sbuf) {
    struct output output = {time_attachment(sbuf, kCMSampleBufferAttachmentKey_TrimDurationAtStart),
        time_attachment(sbuf, kCMSampleBufferAttachmentKey_TrimDurationAtEnd), 1, false};
    CFTypeRef speed = nalu_attachments_copy(&sbuf->attachments, kCMSampleBufferAttachmentKey_SpeedMultiplier, NULL);
    CFTypeRef reverse = nalu_attachments_copy(&sbuf->attachments, kCMSampleBufferAttachmentKey_Reverse, NULL);
    if (speed && CFGetTypeID(speed) == CFNumberGetTypeID()) {
        CFNumberGetValue(speed, kCFNumberDoubleType, &output.speed);
        output.speed = fabs(output.speed);
        if (!isfinite(output.speed) || output.speed == 0) output.speed = 1;
    }
    output.reversed = reverse == kCFBooleanTrue;
    if (speed) CFRelease(speed);
    if (reverse) CFRelease(reverse);
    return output;
}

/* Adds `by`, but returns a time unchanged if `by` is zero, so that the time keeps its timescale. */
static CMTime add(CMTime time, CMTime by) { return by.value == 0 ? time : CMTimeAdd(time, by); }

static CMTime subtract(CMTime time, CMTime by) { return by.value == 0 ? time : CMTimeSubtract(time, by); }

static CMTime slow(CMTime time, const struct output *output) {
    return output->speed == 1 ? time : CMTimeMultiplyByFloat64(time, 1 / output->speed);
}

CMTime CMSampleBufferGetOutputDuration(CMSampleBufferRef sbuf) {
    const CMTime duration = CMSampleBufferGetDuration(sbuf);
    if (CMTIME_IS_INVALID(duration)) return duration;
    const struct output output = output_of(sbuf);
    return slow(subtract(subtract(duration, output.trim_start), output.trim_end), &output);
}

static CMTime set_output_time(CMSampleBufferRef sbuf) {
    pthread_mutex_lock(&sbuf->lock);
    const CMTime time = sbuf->output_time;
    pthread_mutex_unlock(&sbuf->lock);
    return time;
}

CMTime CMSampleBufferGetOutputPresentationTimeStamp(CMSampleBufferRef sbuf) {
    if (!sbuf || !CMSampleBufferIsValid(sbuf)) return kCMTimeInvalid;
    const CMTime set = set_output_time(sbuf);
    if (CMTIME_IS_VALID(set)) return set;
    const CMTime time = CMSampleBufferGetPresentationTimeStamp(sbuf);
    const struct output output = output_of(sbuf);
    if (!output.reversed) return add(time, output.trim_start);
    return subtract(CMTimeAdd(time, CMSampleBufferGetDuration(sbuf)), output.trim_end);
}

OSStatus CMSampleBufferSetOutputPresentationTimeStamp(CMSampleBufferRef sbuf, CMTime outputPresentationTimeStamp) {
    if (!sbuf) return kCMSampleBufferError_RequiredParameterMissing;
    pthread_mutex_lock(&sbuf->lock);
    const bool invalid = sbuf->invalid;
    if (!invalid) sbuf->output_time = outputPresentationTimeStamp;
    pthread_mutex_unlock(&sbuf->lock);
    return invalid ? kCMSampleBufferError_Invalidated : noErr;
}

/* Returns the output time for `time`. The distance to the first output time is the distance to `first`, divided by the
 * speed. */
static CMTime place(CMTime time, CMTime first, CMTime first_output, const struct output *output) {
    if (CMTIME_IS_INVALID(time)) return time;
    /* If nothing moves the times, the time is returned unchanged, so that it keeps the caller's timescale. */
    if (output->speed == 1 && memcmp(&first, &first_output, sizeof first) == 0) return time;
    return CMTimeAdd(first_output, slow(CMTimeSubtract(time, first), output));
}

CMTime CMSampleBufferGetOutputDecodeTimeStamp(CMSampleBufferRef sbuf) {
    const CMTime time = CMSampleBufferGetDecodeTimeStamp(sbuf);
    if (CMTIME_IS_INVALID(time)) return time;
    const struct output output = output_of(sbuf);
    return place(time, CMSampleBufferGetPresentationTimeStamp(sbuf), CMSampleBufferGetOutputPresentationTimeStamp(sbuf),
        &output);
}

/* ---- Arrays ---- */

static OSStatus copy_timings(CMSampleBufferRef sbuf, CMItemCount entries, CMSampleTimingInfo *out, CMItemCount *needed) {
    if (needed) *needed = sbuf ? sbuf->timing_count : 0;
    if (!sbuf) return kCMSampleBufferError_RequiredParameterMissing;
    if (!CMSampleBufferIsValid(sbuf)) return kCMSampleBufferError_Invalidated;
    if (sbuf->timing_count == 0) return kCMSampleBufferError_BufferHasNoSampleTimingInfo;
    if (!out) return noErr;
    if (entries < sbuf->timing_count) return kCMSampleBufferError_ArrayTooSmall;
    memcpy(out, sbuf->timings, (size_t)sbuf->timing_count * sizeof *out);
    return noErr;
}

OSStatus CMSampleBufferGetSampleTimingInfoArray(CMSampleBufferRef sbuf, CMItemCount numSampleTimingEntries,
    CMSampleTimingInfo *timingArrayOut, CMItemCount *timingArrayEntriesNeededOut) {
    return copy_timings(sbuf, numSampleTimingEntries, timingArrayOut, timingArrayEntriesNeededOut);
}

OSStatus CMSampleBufferGetOutputSampleTimingInfoArray(CMSampleBufferRef sbuf, CMItemCount timingArrayEntries,
    CMSampleTimingInfo *timingArrayOut, CMItemCount *timingArrayEntriesNeededOut) {
    const OSStatus status = copy_timings(sbuf, timingArrayEntries, timingArrayOut, timingArrayEntriesNeededOut);
    if (status != noErr || !timingArrayOut) return status;
    const struct output output = output_of(sbuf);
    const CMTime first = CMSampleBufferGetPresentationTimeStamp(sbuf);
    const CMTime first_output = CMSampleBufferGetOutputPresentationTimeStamp(sbuf);
    for (CMItemCount i = 0; i < sbuf->timing_count; i++) {
        CMSampleTimingInfo *timing = &timingArrayOut[i];
        timing->presentationTimeStamp = place(timing->presentationTimeStamp, first, first_output, &output);
        timing->decodeTimeStamp = place(timing->decodeTimeStamp, first, first_output, &output);
        timing->duration = slow(timing->duration, &output);
    }
    return noErr;
}
