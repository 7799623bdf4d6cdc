/* Several passes, their storage, and the silo that keeps the samples. */
#include "session_support.h"

#include <dirent.h>
#include <unistd.h>

enum { FRAMES = 60 };

static void encode_clip(VTCompressionSessionRef session) {
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 192, 128, 0);
    for (int n = 0; n < FRAMES; n++) {
        paint(buffer, n);
        CHECK_EQ(VTCompressionSessionEncodeFrame(
                     session, buffer, CMTimeMake(n, 30), CMTimeMake(1, 30), NULL, NULL, NULL),
            noErr);
    }
    CVPixelBufferRelease(buffer);
}

static int files_in(const char *path) {
    DIR *directory = opendir(path);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) count += entry->d_name[0] != '.';
    if (directory) closedir(directory);
    return count;
}

static CFURLRef url_in(const char *directory, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return CFURLCreateFromFileSystemRepresentation(NULL, (const uint8_t *)path, (CFIndex)strlen(path), false);
}

/* The `avcC` of a sample. */
static CFDataRef copy_record(CMSampleBufferRef sample) {
    CFDictionaryRef atoms = CMFormatDescriptionGetExtension(CMSampleBufferGetFormatDescription(sample),
        kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms);
    CFTypeRef record = atoms ? CFDictionaryGetValue(atoms, CFSTR("avcC")) : NULL;
    return record ? CFRetain(record) : NULL;
}

/* A whole clip in passes, as programs encode it. Each pass puts all its samples into a silo. The parameter sets of the
 * first pass are those of every pass: HandBrake writes them into the file before the last pass begins. */
static void test_passes(void) {
    char directory[] = "/tmp/nalu-passes-test-XXXXXX";
    REQUIRE(mkdtemp(directory));
    CFURLRef url = url_in(directory, "storage");
    collected all = COLLECTED;
    VTMultiPassStorageRef storage = NULL;
    VTFrameSiloRef silo = NULL;
    VTCompressionSessionRef session = session_of(192, 128, &all);
    const CMTimeRange whole = CMTimeRangeMake(kCMTimeZero, CMTimeMake(FRAMES, 30));
    CFDataRef first_record = NULL;
    Boolean further = false;
    int passes = 0;
    CHECK_EQ(VTCompressionSessionBeginPass(session, 0, NULL), kVTParameterErr);
    CHECK_EQ(VTMultiPassStorageCreate(NULL, url, whole, NULL, &storage), noErr);
    CHECK_EQ(VTFrameSiloCreate(NULL, NULL, whole, NULL, &silo), noErr);
    REQUIRE(storage && silo);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.5), noErr); /* by habit */
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 300000), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MultiPassStorage, kCFBooleanTrue),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MultiPassStorage, storage), noErr);
    CFTypeRef read = copy_value(session, kVTCompressionPropertyKey_MultiPassStorage);
    CHECK(read == storage);
    CFRelease(read);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    do {
        CHECK_EQ(VTCompressionSessionBeginPass(session, 0, NULL), noErr);
        encode_clip(session);
        CHECK_EQ(VTCompressionSessionEndPass(session, &further, NULL), noErr);
        CHECK_EQ(all.count, FRAMES);
        CFDataRef record = copy_record(all.samples[0]);
        REQUIRE(record);
        if (!first_record) first_record = (CFDataRef)CFRetain(record);
        CHECK(CFEqual(record, first_record));
        CFRelease(record);
        for (int i = 0; i < all.count; i++) {
            CHECK_EQ(CMTimeCompare(CMSampleBufferGetDecodeTimeStamp(all.samples[i]), CMTimeMake(i, 30)), 0);
            CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, all.samples[i]), noErr);
        }
        collected_clear(&all);
        CMItemCount count = 0;
        const CMTimeRange *ranges = NULL;
        const OSStatus status = VTCompressionSessionGetTimeRangesForNextPass(session, &count, &ranges);
        CHECK_EQ(status, further ? noErr : kVTParameterErr);
        if (!further) break;
        CHECK(count == 1 && CMTIMERANGE_IS_VALID(ranges[0]) && CMTimeCompare(ranges[0].start, kCMTimeZero) == 0);
        CHECK_EQ(VTFrameSiloSetTimeRangesForNextPass(silo, count, ranges), noErr);
    } while (++passes < 8);
    CHECK(passes >= 1 && !further);
    CFRelease(first_record);
    CHECK(files_in(directory) > 0);
    CHECK_EQ(VTMultiPassStorageClose(storage), noErr);
    __block int found = 0;
    CHECK_EQ(VTFrameSiloCallBlockForEachSampleBuffer(silo, kCMTimeRangeInvalid,
                 ^(CMSampleBufferRef sample) {
                     found += CMSampleBufferGetTotalSampleSize(sample) > 0;
                     return (OSStatus)noErr;
                 }),
        noErr);
    CHECK_EQ(found, FRAMES);
    CFRelease(session);
    session = session_of(192, 128, &all);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MultiPassStorage, storage),
        kVTMultiPassStorageInvalidErr);
    CFRelease(session);
    CFRelease(storage);
    CFRelease(silo);
    CFRelease(url);
    CHECK_EQ(files_in(directory), 0);
    CHECK_EQ(rmdir(directory), 0);
}

typedef struct ending {
    VTCompressionSessionRef session;
    int count;
    OSStatus inside;
} ending;

static void end_inside(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    ending *it = refcon;
    (void)frame, (void)flags;
    CHECK(status == noErr && sample);
    if (it->count++ == 0) it->inside = VTCompressionSessionEndPass(it->session, NULL, NULL);
}

/* EndPass is refused inside the callback, and the pass continues to its end. */
static void test_a_single_pass_is_not_ended_inside(void) {
    ending it = {NULL, 0, noErr};
    VTMultiPassStorageRef storage = NULL;
    REQUIRE(VTCompressionSessionCreate(NULL, 192, 128, kCMVideoCodecType_H264, NULL, NULL, NULL, end_inside, &it,
                &it.session) == noErr);
    CHECK_EQ(VTMultiPassStorageCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &storage), noErr);
    CHECK_EQ(VTSessionSetProperty(it.session, kVTCompressionPropertyKey_MultiPassStorage, storage), noErr);
    /* No frame is delayed until the end. */
    CHECK_EQ(
        VTSessionSetProperty(it.session, CFSTR("x264.params"), CFSTR("threads=1:bframes=0:rc-lookahead=0")), noErr);
    CHECK_EQ(VTCompressionSessionBeginPass(it.session, 0, NULL), noErr);
    encode_clip(it.session);
    CHECK_EQ(VTCompressionSessionEndPass(it.session, NULL, NULL), noErr);
    CHECK_EQ(it.inside, kVTParameterErr);
    CHECK_EQ(it.count, FRAMES);
    CHECK_EQ(VTCompressionSessionEndPass(it.session, NULL, NULL), kVTParameterErr);
    CFRelease(it.session);
    CFRelease(storage);
}

/* Passes need an average bit rate. A session without one requests no second pass, and its frames have the quality that
 * is set. */
static void test_a_single_pass(void) {
    for (int prepares = 0; prepares < 2; prepares++) {
        collected all = COLLECTED;
        VTMultiPassStorageRef storage = NULL;
        VTCompressionSessionRef session = session_of(192, 128, &all);
        CMItemCount count = 7;
        const CMTimeRange *ranges = NULL;
        Boolean further = true;
        size_t sizes[2] = {0, 0};
        CHECK_EQ(VTMultiPassStorageCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &storage), noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MultiPassStorage, storage), noErr);
        CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.2), noErr);
        if (prepares) CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
        CHECK_EQ(VTCompressionSessionEndPass(session, &further, NULL), kVTParameterErr);
        CHECK_EQ(VTCompressionSessionBeginPass(session, 0, NULL), noErr);
        CHECK_EQ(VTCompressionSessionBeginPass(session, 0, NULL), kVTParameterErr);
        encode_clip(session);
        CHECK_EQ(VTCompressionSessionEndPass(session, &further, NULL), noErr);
        CHECK(!further);
        CHECK_EQ(all.count, FRAMES);
        CHECK_EQ(VTCompressionSessionGetTimeRangesForNextPass(session, &count, &ranges), kVTParameterErr);
        CHECK_EQ(VTCompressionSessionBeginPass(session, 0, NULL), kVTParameterErr);
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 192, 128, 0);
        CHECK_EQ(VTCompressionSessionEncodeFrame(
                     session, buffer, CMTimeMake(FRAMES, 30), CMTimeMake(1, 30), NULL, NULL, NULL),
            kVTParameterErr);
        CFRelease(buffer);
        CFTypeRef read = copy_value(session, kVTCompressionPropertyKey_MultiPassStorage);
        CHECK(read == storage);
        CFRelease(read);
        CFRelease(session);
        for (int i = 0; i < all.count; i++) sizes[0] += CMSampleBufferGetTotalSampleSize(all.samples[i]);
        collected_clear(&all);
        /* The same without a storage. */
        session = session_of(192, 128, &all);
        CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.2), noErr);
        encode_clip(session);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        for (int i = 0; i < all.count; i++) sizes[1] += CMSampleBufferGetTotalSampleSize(all.samples[i]);
        CHECK(sizes[0] < 1.05 * sizes[1] && sizes[1] < 1.05 * sizes[0]);
        CFRelease(session);
        CFRelease(storage);
        collected_clear(&all);
    }
}

static void test_storage_that_cannot_be(void) {
    VTMultiPassStorageRef storage = NULL;
    CFURLRef url = url_in("/nonexistent-directory", "storage");
    CHECK_EQ(VTMultiPassStorageCreate(NULL, url, kCMTimeRangeInvalid, NULL, &storage), kVTMultiPassStorageInvalidErr);
    CHECK(storage == NULL);
    CFRelease(url);
    CHECK_EQ(VTMultiPassStorageCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &storage), noErr);
    CHECK_EQ(VTMultiPassStorageClose(storage), noErr);
    CHECK_EQ(VTMultiPassStorageClose(storage), noErr);
    CFRelease(storage);
}

static OSStatus create_at(CFURLRef url) {
    VTMultiPassStorageRef storage = (VTMultiPassStorageRef)kCFNull;
    const OSStatus status = VTMultiPassStorageCreate(NULL, url, kCMTimeRangeInvalid, NULL, &storage);
    CHECK((storage != NULL) == (status == noErr));
    if (storage) CFRelease(storage);
    CFRelease(url);
    return status;
}

static CFURLRef url_of_text(const char *format, const char *directory) {
    char text[512];
    snprintf(text, sizeof text, format, directory);
    return CFURLCreateWithBytes(NULL, (const UInt8 *)text, (CFIndex)strlen(text), kCFStringEncodingUTF8, NULL);
}

/* Only the URL of a file that does not exist is accepted. With another URL, nothing is created or changed. */
static void test_urls_of_a_storage(void) {
    char directory[] = "/tmp/nalu-storage-urls-XXXXXX", path[512], content[16] = "";
    REQUIRE(mkdtemp(directory));
    CHECK_EQ(create_at(url_of_text("http://example.org%s/storage", directory)), kVTParameterErr);
    CHECK_EQ(create_at(url_of_text("ftp:%s/storage", directory)), kVTParameterErr);
    CHECK_EQ(create_at(url_of_text("storage", directory)), kVTParameterErr);
    CHECK_EQ(create_at((CFURLRef)CFStringCreateCopy(NULL, CFSTR("/tmp/storage"))), kVTParameterErr);
    CHECK_EQ(create_at(url_of_text("file:///", directory)), kVTMultiPassStorageInvalidErr);
    CHECK_EQ(create_at(url_of_text("file:///dev/full", directory)), kVTMultiPassStorageInvalidErr);
    CHECK_EQ(create_at(url_of_text("file://%s/", directory)), kVTMultiPassStorageInvalidErr);
    CHECK_EQ(files_in(directory), 0);

    snprintf(path, sizeof path, "%s/notes", directory);
    FILE *file = fopen(path, "w");
    REQUIRE(file && fputs("my notes", file) >= 0 && fclose(file) == 0);
    CHECK_EQ(create_at(url_in(directory, "notes")), kVTMultiPassStorageInvalidErr);
    file = fopen(path, "r");
    CHECK(file && fgets(content, sizeof content, file) && strcmp(content, "my notes") == 0);
    if (file) fclose(file);
    CHECK(unlink(path) == 0);
    CHECK(symlink("/nonexistent-directory/target", path) == 0);
    CHECK_EQ(create_at(url_in(directory, "notes")), kVTMultiPassStorageInvalidErr);
    CHECK_EQ(files_in(directory), 1);
    CHECK(unlink(path) == 0);

    CHECK_EQ(create_at(url_of_text("FILE://localhost%s/storage%%20of%%20mine", directory)), noErr);
    CHECK_EQ(files_in(directory), 0);
    CHECK(rmdir(directory) == 0);
}

/* Encodes samples for silos. */
static void encode_samples(collected *all) {
    VTCompressionSessionRef session = session_of(192, 128, all);
    encode_clip(session);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CFRelease(session);
    REQUIRE(all->count == FRAMES);
}

typedef struct walk {
    collected *all;
    int index;
    int stop;
} walk;

static OSStatus compare(void *refcon, CMSampleBufferRef sample) {
    walk *walk = refcon;
    if (walk->index == walk->stop) return -42;
    CMSampleBufferRef expected = walk->all->samples[walk->index++];
    char *a = NULL, *b = NULL;
    size_t size = 0, other = 0;
    CMBlockBufferGetDataPointer(CMSampleBufferGetDataBuffer(sample), 0, NULL, &size, &a);
    CMBlockBufferGetDataPointer(CMSampleBufferGetDataBuffer(expected), 0, NULL, &other, &b);
    CHECK(size == other && memcmp(a, b, size) == 0);
    CHECK_EQ(CMTimeCompare(CMSampleBufferGetPresentationTimeStamp(sample),
                 CMSampleBufferGetPresentationTimeStamp(expected)),
        0);
    CHECK_EQ(CMTimeCompare(CMSampleBufferGetDecodeTimeStamp(sample), CMSampleBufferGetDecodeTimeStamp(expected)), 0);
    CHECK(CMSampleBufferGetFormatDescription(sample) == CMSampleBufferGetFormatDescription(expected));
    CHECK_EQ(is_key_frame(sample), is_key_frame(expected));
    return noErr;
}

/* A silo returns the added samples in decode order, with times and attachments. */
static void test_a_silo_gives_samples_back(void) {
    char directory[] = "/tmp/nalu-silo-test-XXXXXX";
    REQUIRE(mkdtemp(directory));
    CFURLRef url = url_in(directory, "silo");
    collected all = COLLECTED;
    VTFrameSiloRef silo = NULL, second = NULL;
    Float32 progress = -1;
    encode_samples(&all);
    CHECK_EQ(VTFrameSiloCreate(NULL, url, CMTimeRangeMake(kCMTimeZero, CMTimeMake(FRAMES, 30)), NULL, &silo), noErr);
    REQUIRE(silo);
    CHECK_EQ(VTFrameSiloCreate(NULL, url, kCMTimeRangeInvalid, NULL, &second), kVTParameterErr); /* the file exists */
    CHECK(second == NULL);
    CHECK_EQ(VTFrameSiloGetProgressOfCurrentPass(silo, &progress), noErr);
    CHECK_EQ(progress, 0);
    for (int i = 0; i < FRAMES; i++) CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, all.samples[i]), noErr);
    CHECK_EQ(VTFrameSiloGetProgressOfCurrentPass(silo, &progress), noErr);
    CHECK(fabsf(progress - 1) < 1e-6f);
    walk whole = {&all, 0, -1}, part = {&all, 0, 5};
    CHECK_EQ(VTFrameSiloCallFunctionForEachSampleBuffer(silo, kCMTimeRangeInvalid, &whole, compare), noErr);
    CHECK_EQ(whole.index, FRAMES);
    CHECK_EQ(VTFrameSiloCallFunctionForEachSampleBuffer(silo, kCMTimeRangeInvalid, &part, compare), -42);
    CHECK_EQ(part.index, 5);
    CFRelease(silo);
    CHECK_EQ(files_in(directory), 0);
    CHECK_EQ(rmdir(directory), 0);
    CFRelease(url);
    collected_clear(&all);
}

static int count_in(VTFrameSiloRef silo, CMTimeRange range) {
    __block int count = 0;
    CHECK_EQ(VTFrameSiloCallBlockForEachSampleBuffer(silo, range,
                 ^(CMSampleBufferRef sample) {
                     count += CMTimeRangeContainsTime(range, CMSampleBufferGetPresentationTimeStamp(sample));
                     return (OSStatus)noErr;
                 }),
        noErr);
    return count;
}

/* A pass replaces the samples in its ranges, and no others. */
static void test_ranges_of_a_silo(void) {
    collected all = COLLECTED;
    VTFrameSiloRef silo = NULL;
    const CMTimeRange first = CMTimeRangeMake(CMTimeMake(10, 30), CMTimeMake(10, 30));
    const CMTimeRange second = CMTimeRangeMake(CMTimeMake(40, 30), CMTimeMake(5, 30));
    const CMTimeRange in_order[] = {first, second}, reversed[] = {second, first}, invalid[] = {kCMTimeRangeInvalid};
    const CMTimeRange whole = CMTimeRangeMake(kCMTimeZero, CMTimeMake(FRAMES, 30));
    encode_samples(&all);
    CHECK_EQ(VTFrameSiloCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &silo), noErr);
    REQUIRE(silo);
    for (int i = 0; i < FRAMES; i++) CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, all.samples[i]), noErr);
    CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, all.samples[0]), kVTFrameSiloInvalidTimeStampErr);
    CHECK_EQ(VTFrameSiloSetTimeRangesForNextPass(silo, 2, reversed), kVTFrameSiloInvalidTimeRangeErr);
    CHECK_EQ(VTFrameSiloSetTimeRangesForNextPass(silo, 1, invalid), kVTFrameSiloInvalidTimeRangeErr);
    CHECK_EQ(count_in(silo, whole), FRAMES);
    CHECK_EQ(VTFrameSiloSetTimeRangesForNextPass(silo, 2, in_order), noErr);
    CHECK_EQ(count_in(silo, whole), FRAMES - 15);
    CHECK_EQ(count_in(silo, first), 0);
    for (int i = 0; i < FRAMES; i++) {
        const CMTime time = CMSampleBufferGetPresentationTimeStamp(all.samples[i]);
        const bool inside = CMTimeRangeContainsTime(first, time) || CMTimeRangeContainsTime(second, time);
        CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, all.samples[i]), inside ? noErr : kVTFrameSiloInvalidTimeStampErr);
    }
    walk every = {&all, 0, -1};
    CHECK_EQ(VTFrameSiloCallFunctionForEachSampleBuffer(silo, whole, &every, compare), noErr);
    CHECK_EQ(every.index, FRAMES);
    CFRelease(silo);
    collected_clear(&all);
}

/* A sample without bytes is returned like the others. */
static void test_a_silo_with_an_empty_sample(void) {
    collected all = COLLECTED;
    VTFrameSiloRef silo = NULL;
    CMBlockBufferRef data = NULL;
    CMSampleBufferRef empty = NULL;
    const size_t size = 0;
    const CMSampleTimingInfo timing = {CMTimeMake(1, 30), CMTimeMake(-90, 30), CMTimeMake(-90, 30)};
    __block int count = 0;
    encode_samples(&all);
    CHECK_EQ(CMBlockBufferCreateEmpty(NULL, 0, 0, &data), noErr);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, data, CMSampleBufferGetFormatDescription(all.samples[0]), 1, 1, &timing,
                 1, &size, &empty),
        noErr);
    CHECK_EQ(VTFrameSiloCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &silo), noErr);
    REQUIRE(silo && empty);
    CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, empty), noErr);
    for (int i = 0; i < FRAMES; i++) CHECK_EQ(VTFrameSiloAddSampleBuffer(silo, all.samples[i]), noErr);
    CHECK_EQ(VTFrameSiloCallBlockForEachSampleBuffer(silo, kCMTimeRangeInvalid,
                 ^OSStatus(CMSampleBufferRef sample) {
                   CHECK_EQ(CMSampleBufferGetTotalSampleSize(sample) == 0, count == 0);
                   count++;
                   return noErr;
                 }),
        noErr);
    CHECK_EQ(count, FRAMES + 1);
    CFRelease(silo);
    CFRelease(empty);
    CFRelease(data);
    collected_clear(&all);
}

/* The URL of a silo is that of a local file. */
static void test_urls_of_a_silo(void) {
    char directory[] = "/tmp/nalu-silo-test-XXXXXX";
    char text[128];
    REQUIRE(mkdtemp(directory));
    const char *const schemes[] = {"http://host", "https:", "FILE://"};
    for (int i = 0; i < 3; i++) {
        VTFrameSiloRef silo = NULL;
        snprintf(text, sizeof text, "%s%s/silo", schemes[i], directory);
        const CFIndex length = (CFIndex)strlen(text);
        CFURLRef url = CFURLCreateWithBytes(NULL, (const uint8_t *)text, length, kCFStringEncodingUTF8, NULL);
        CHECK_EQ(VTFrameSiloCreate(NULL, url, kCMTimeRangeInvalid, NULL, &silo), i == 2 ? noErr : kVTParameterErr);
        CHECK_EQ(files_in(directory), i == 2);
        if (silo) CFRelease(silo);
        CFRelease(url);
    }
    CHECK_EQ(rmdir(directory), 0);
}

int main(void) {
    RUN(test_passes);
    RUN(test_a_single_pass);
    RUN(test_a_single_pass_is_not_ended_inside);
    RUN(test_storage_that_cannot_be);
    RUN(test_urls_of_a_storage);
    RUN(test_a_silo_gives_samples_back);
    RUN(test_ranges_of_a_silo);
    RUN(test_a_silo_with_an_empty_sample);
    RUN(test_urls_of_a_silo);
    return check_result();
}
