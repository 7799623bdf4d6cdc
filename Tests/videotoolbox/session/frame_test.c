/* Frames on their way into a session: behaviours 31 to 35 of the programs that use VideoToolbox. The samples equal
 * those of libnalu's own interface. */
#include "session_support.h"

static CFDictionaryRef attributes_of(int width, int height, CFTypeRef format) {
    CFNumberRef numbers[2] = {integer(width), integer(height)};
    const void *keys[3], *values[3];
    CFIndex count = 0;
    if (width) keys[count] = kCVPixelBufferWidthKey, values[count++] = numbers[0];
    if (height) keys[count] = kCVPixelBufferHeightKey, values[count++] = numbers[1];
    if (format) keys[count] = kCVPixelBufferPixelFormatTypeKey, values[count++] = format;
    CFDictionaryRef attributes = CFDictionaryCreate(
        NULL, keys, values, count, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFRelease(numbers[0]);
    CFRelease(numbers[1]);
    return attributes;
}

static void check_pool(CFDictionaryRef attributes, size_t width, size_t height, OSType format) {
    VTCompressionSessionRef session = NULL;
    CHECK_EQ(VTCompressionSessionCreate(
                 NULL, 192, 128, kCMVideoCodecType_H264, NULL, attributes, NULL, collect, NULL, &session),
        noErr);
    if (attributes) CFRelease(attributes);
    CVPixelBufferPoolRef pool = VTCompressionSessionGetPixelBufferPool(session);
    CVPixelBufferRef buffer = NULL;
    REQUIRE(pool && CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &buffer) == kCVReturnSuccess);
    CHECK_EQ(CVPixelBufferGetPixelFormatType(buffer), format);
    CHECK_EQ(CVPixelBufferGetWidth(buffer), width);
    CHECK_EQ(CVPixelBufferGetHeight(buffer), height);
    int type = 0;
    CFDictionaryRef made_with = CVPixelBufferPoolGetPixelBufferAttributes(pool);
    CHECK(CFNumberGetValue(CFDictionaryGetValue(made_with, kCVPixelBufferPixelFormatTypeKey), kCFNumberIntType, &type));
    CHECK_EQ((OSType)type, format);
    CVPixelBufferRelease(buffer);
    CFRelease(session);
}

/* Behaviour 31: the pool exists after creation. It has the format and the size that were requested, if they were. */
static void test_the_pool(void) {
    CFNumberRef planar = integer((int)kCVPixelFormatType_420YpCbCr8Planar);
    CFNumberRef bgra = integer((int)kCVPixelFormatType_32BGRA);
    const void *formats[] = {bgra, planar};
    CFArrayRef list = CFArrayCreate(NULL, formats, 2, &kCFTypeArrayCallBacks);
    check_pool(NULL, 192, 128, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_pool(attributes_of(192, 128, NULL), 192, 128, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_pool(attributes_of(0, 0, planar), 192, 128, kCVPixelFormatType_420YpCbCr8Planar);
    check_pool(attributes_of(192, 128, bgra), 192, 128, kCVPixelFormatType_32BGRA);
    check_pool(attributes_of(192, 128, list), 192, 128, kCVPixelFormatType_32BGRA);
    /* WebRTC passes frames that are larger than the session, which scales them. */
    check_pool(attributes_of(320, 200, bgra), 320, 200, kCVPixelFormatType_32BGRA);
    /* HaishinKit and others name a media type as the pixel format. */
    CFNumberRef media_type = integer((int)kCMMediaType_Video);
    const void *partly_known[] = {media_type, planar}, *unknown[] = {media_type};
    CFArrayRef partly = CFArrayCreate(NULL, partly_known, 2, &kCFTypeArrayCallBacks);
    CFArrayRef none = CFArrayCreate(NULL, unknown, 1, &kCFTypeArrayCallBacks);
    check_pool(attributes_of(192, 128, media_type), 192, 128, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_pool(attributes_of(192, 128, none), 192, 128, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    check_pool(attributes_of(192, 128, partly), 192, 128, kCVPixelFormatType_420YpCbCr8Planar);
    CFRelease(partly);
    CFRelease(none);
    CFRelease(media_type);
    CFRelease(list);
    CFRelease(planar);
    CFRelease(bgra);
}

/* Behaviour 32: the session accepts frames of any format and size, whatever the attributes contain. */
static void test_frames_of_any_format(void) {
    const OSType formats[] = {kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
        kCVPixelFormatType_32BGRA, kCVPixelFormatType_422YpCbCr8, kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange};
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(192, 128, &all);
    int n = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (int scale = 1; scale < 3; scale++, n++) {
            CVPixelBufferRef buffer = frame_of(formats[i], (size_t)(192 * scale), (size_t)(128 * scale), n);
            CHECK_EQ(
                VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, NULL, NULL),
                noErr);
            CVPixelBufferRelease(buffer);
        }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, n);
    for (int i = 0; i < all.count; i++) {
        CHECK_EQ(all.statuses[i], noErr);
        const CMVideoDimensions size =
            CMVideoFormatDescriptionGetDimensions(CMSampleBufferGetFormatDescription(all.samples[i]));
        CHECK(size.width == 192 && size.height == 128);
    }
    end_session(session, &all);
}

/* Behaviour 32: colours that no property sets are those of the first frame. */
static void test_colours_of_the_first_frame(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(192, 128, &all);
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 192, 128, 0);
    CVBufferSetAttachment(buffer, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020,
        kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_2020,
        kCVAttachmentMode_ShouldPropagate);
    CHECK_EQ(
        VTSessionSetProperty(session, kVTCompressionPropertyKey_YCbCrMatrix, kCVImageBufferYCbCrMatrix_ITU_R_709_2),
        noErr);
    CHECK_EQ(
        VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(0, 30), kCMTimeInvalid, NULL, NULL, NULL), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    REQUIRE(all.count == 1 && all.samples[0]);
    CMFormatDescriptionRef description = CMSampleBufferGetFormatDescription(all.samples[0]);
    CHECK(CFEqual(CMFormatDescriptionGetExtension(description, kCMFormatDescriptionExtension_ColorPrimaries),
        kCVImageBufferColorPrimaries_ITU_R_2020));
    CHECK(CFEqual(CMFormatDescriptionGetExtension(description, kCMFormatDescriptionExtension_YCbCrMatrix),
        kCVImageBufferYCbCrMatrix_ITU_R_709_2));
    CVPixelBufferRelease(buffer);
    end_session(session, &all);
}

/* Behaviour 34: a key frame is forced by the value of the option, not by its presence. */
static void test_forced_key_frames(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(64, 64, &all);
    CFDictionaryRef yes = pair(kVTEncodeFrameOptionKey_ForceKeyFrame, kCFBooleanTrue);
    CFDictionaryRef no = pair(kVTEncodeFrameOptionKey_ForceKeyFrame, kCFBooleanFalse);
    for (int n = 0; n < 12; n++) CHECK_EQ(encode_with(session, n, n == 5 || n == 9 ? yes : no, NULL), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    REQUIRE(all.count == 12);
    for (int n = 0; n < 12; n++) {
        CHECK_EQ(is_key_frame(all.samples[n]), n == 0 || n == 5 || n == 9);
        CHECK_EQ(attachment_of(all.samples[n], kCMSampleAttachmentKey_DependsOnOthers) == kCFBooleanFalse,
            is_key_frame(all.samples[n]));
    }
    CFRelease(yes);
    CFRelease(no);
    end_session(session, &all);
}

/* Behaviour 35: a session without a callback accepts a block with each frame. The two forms exclude each other. */
static void test_output_handlers(void) {
    collected all = COLLECTED;
    __block int sum = 0;
    VTCompressionSessionRef session = session_of(64, 64, NULL), other = session_of(64, 64, &all);
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 64, 64, 0);
    for (int n = 0; n < 10; n++) {
        CHECK_EQ(VTCompressionSessionEncodeFrameWithOutputHandler(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid,
                     NULL, NULL,
                     ^(OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
                         CHECK_EQ(status, noErr);
                         CHECK_EQ(flags, 0);
                         CHECK_EQ(CMSampleBufferGetPresentationTimeStamp(sample).value, n);
                         sum += n + 1;
                     }),
            noErr);
    }
    CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(99, 30), kCMTimeInvalid, NULL, NULL, NULL),
        kVTParameterErr);
    CHECK_EQ(VTCompressionSessionEncodeFrameWithOutputHandler(other, buffer, CMTimeMake(0, 30), kCMTimeInvalid, NULL,
                 NULL,
                 ^(OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
                     (void)status, (void)flags, (void)sample;
                     sum = -1000;
                 }),
        kVTParameterErr);
    VTCompressionOutputHandler volatile no_handler = NULL;
    CHECK_EQ(VTCompressionSessionEncodeFrameWithOutputHandler(
                 session, buffer, CMTimeMake(99, 30), kCMTimeInvalid, NULL, NULL, no_handler),
        kVTParameterErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(sum, 55);
    CHECK_EQ(all.count, 0);
    CVPixelBufferRelease(buffer);
    CFRelease(session);
    CFRelease(other);
}

/* Low latency: each frame is returned immediately, and there are no B-frames. After the first frame, only forced frames
 * are key frames. */
static void test_low_latency(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = NULL;
    CFDictionaryRef specification = pair(kVTVideoEncoderSpecification_EnableLowLatencyRateControl, kCFBooleanTrue);
    CFDictionaryRef force = pair(kVTEncodeFrameOptionKey_ForceKeyFrame, kCFBooleanTrue);
    CHECK_EQ(VTCompressionSessionCreate(
                 NULL, 64, 64, kCMVideoCodecType_H264, specification, NULL, NULL, collect, &all, &session),
        noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.preset"), CFSTR("ultrafast")), noErr);
    for (int n = 0; n < 400; n++) {
        CHECK_EQ(encode_with(session, n, n == 300 ? force : NULL, NULL), noErr);
        CHECK_EQ(collected_count(&all), n + 1);
    }
    for (int n = 0; n < 400; n++) {
        CHECK_EQ(CMSampleBufferGetPresentationTimeStamp(all.samples[n]).value, n);
        CHECK_EQ(is_key_frame(all.samples[n]), n == 0 || n == 300);
    }
    CFRelease(specification);
    CFRelease(force);
    end_session(session, &all);
}

/* The measurements of the encoder are attachments. Tokens of long-term references are passed back with later frames. */
static void test_measurements_and_tokens(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(64, 64, &all);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_CalculateMeanSquaredError, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_EnableLTR, kCFBooleanTrue), noErr);
    encode_frames(session, 3);
    REQUIRE(all.count == 3);
    CFTypeRef token = attachment_of(all.samples[1], kVTSampleAttachmentKey_RequireLTRAcknowledgementToken);
    REQUIRE(token && CFGetTypeID(token) == CFNumberGetTypeID());
    CFDictionaryRef metrics = attachment_of(all.samples[1], kVTSampleAttachmentKey_QualityMetrics);
    double error = -1;
    REQUIRE(metrics);
    CHECK(CFNumberGetValue(CFDictionaryGetValue(metrics, kVTSampleAttachmentQualityMetricsKey_LumaMeanSquaredError),
        kCFNumberDoubleType, &error));
    CHECK(error >= 0 && error < 5000);
    CFArrayRef tokens = CFArrayCreate(NULL, &token, 1, &kCFTypeArrayCallBacks);
    const void *keys[] = {kVTEncodeFrameOptionKey_AcknowledgedLTRTokens, kVTEncodeFrameOptionKey_ForceLTRRefresh};
    const void *values[] = {tokens, kCFBooleanTrue};
    CFDictionaryRef options =
        CFDictionaryCreate(NULL, keys, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK_EQ(encode_with(session, 3, options, NULL), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK(all.count == 4 && !is_key_frame(all.samples[3])); /* the frame of the token is still a reference */
    CFRelease(options);
    CFRelease(tokens);
    end_session(session, &all);
}

/* In a session without long-term references, ForceLTRRefresh makes a key frame, and acknowledged tokens have no effect. */
static void test_refreshes_without_long_term_references(void) {
    static const CMVideoCodecType codecs[] = {kCMVideoCodecType_H264, kCMVideoCodecType_HEVC};
    CFNumberRef one = integer(1);
    CFTypeRef token = one;
    CFArrayRef tokens = CFArrayCreate(NULL, &token, 1, &kCFTypeArrayCallBacks);
    CFDictionaryRef refresh = pair(kVTEncodeFrameOptionKey_ForceLTRRefresh, kCFBooleanTrue);
    CFDictionaryRef acknowledged = pair(kVTEncodeFrameOptionKey_AcknowledgedLTRTokens, tokens);
    for (int c = 0; c < 2; c++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = NULL;
        REQUIRE(VTCompressionSessionCreate(NULL, 64, 64, codecs[c], NULL, NULL, NULL, collect, &all, &session) == noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
        for (int n = 0; n < 6; n++)
            CHECK_EQ(encode_with(session, n, n == 2 ? acknowledged : n == 4 ? refresh : NULL, NULL), noErr);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        REQUIRE(CHECK_EQ(all.count, 6));
        for (int n = 0; n < 6; n++) CHECK_EQ(is_key_frame(all.samples[n]), n == 0 || n == 4);
        end_session(session, &all);
    }
    CFRelease(refresh);
    CFRelease(acknowledged);
    CFRelease(tokens);
    CFRelease(one);
}

typedef struct conversation {
    VTCompressionSessionRef session;
    _Atomic int count;
} conversation;

static void answer(void *refcon, void *frame, OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
    conversation *both = refcon;
    (void)frame, (void)flags;
    CHECK(status == noErr && sample);
    const int count = ++both->count;
    CHECK(copy_number(both->session, kVTCompressionPropertyKey_NumberOfPendingFrames) >= 1);
    CHECK_EQ(set_integer(both->session, kVTCompressionPropertyKey_AverageBitRate, 100000 + 1000 * count), noErr);
    if (count < 20) CHECK_EQ(encode(both->session, count), noErr);
}

/* The callback may encode, and set and read properties. */
static void test_calls_inside_the_callback(void) {
    conversation both = {NULL, 0};
    CHECK_EQ(VTCompressionSessionCreate(
                 NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, answer, &both, &both.session),
        noErr);
    CHECK_EQ(VTSessionSetProperty(both.session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(set_integer(both.session, kVTCompressionPropertyKey_AverageBitRate, 100000), noErr);
    CHECK_EQ(encode(both.session, 0), noErr);
    WAIT_UNTIL(both.count >= 20);
    /* The last callback may still run. */
    CHECK_EQ(VTCompressionSessionCompleteFrames(both.session, kCMTimeInvalid), noErr);
    CHECK_EQ(both.count, 20);
    CFRelease(both.session);
}

/* A constant bit rate is kept with and without a frame rate, within the limit that libnalu promises: a tenth over
 * seconds. */
static void test_constant_bit_rate(void) {
    for (int rated = 0; rated < 2; rated++) {
        collected all = COLLECTED;
        size_t bytes = 0;
        VTCompressionSessionRef session = session_of(192, 128, &all);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, 400000), noErr);
        if (rated) CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 25), noErr);
        CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
        CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantBitRate), 400000);
        for (int n = 0; n < 150; n++) {
            CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 192, 128, 7 * n);
            CHECK_EQ(
                VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 25), kCMTimeInvalid, NULL, NULL, NULL),
                noErr);
            CVPixelBufferRelease(buffer);
        }
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        for (int i = 0; i < all.count; i++)
            if (all.samples[i]) bytes += CMSampleBufferGetTotalSampleSize(all.samples[i]);
        const double rate = 8.0 * (double)bytes / (150 / 25.0);
        CHECK(rate > 360000 && rate < 440000);
        end_session(session, &all);
    }
}

/* Arguments that cannot be a frame are refused, and have no callback. */
static void test_frames_that_are_refused(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(64, 64, &all);
    CFNumberRef qp = integer(99);
    CFDictionaryRef options = pair(kVTEncodeFrameOptionKey_BaseFrameQP, qp);
    CFDictionaryRef tokens = pair(kVTEncodeFrameOptionKey_AcknowledgedLTRTokens, kCFBooleanTrue);
    CVPixelBufferRef volatile none = NULL;
    CHECK_EQ(VTCompressionSessionEncodeFrame(session, none, CMTimeMake(0, 30), kCMTimeInvalid, NULL, NULL, NULL),
        kVTParameterErr);
    CHECK_EQ(encode_with(session, 0, options, NULL), kVTParameterErr);
    CHECK_EQ(encode_with(session, 0, tokens, NULL), kVTParameterErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 0);
    CFRelease(qp);
    CFRelease(options);
    CFRelease(tokens);
    CFRelease(session);
    CFDictionaryRef spoken = pair(kVTEncodeFrameOptionKey_ForceKeyFrame, CFSTR("yes"));
    CFTypeRef array = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    session = live_session(64, 64, &all);
    CHECK_EQ(encode_with(session, 0, spoken, NULL), kVTParameterErr);
    CHECK_EQ(encode_with(session, 0, array, NULL), kVTParameterErr);
    CHECK_EQ(all.count, 0);
    CFRelease(session);
    CFRelease(spoken);
    CFDictionaryRef format = pair(kCVPixelBufferPixelFormatTypeKey, CFSTR("420v"));
    CFDictionaryRef wanted = pair(kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder, CFSTR("no"));
    CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, array, NULL, NULL, NULL, NULL, &session),
        kVTParameterErr);
    CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, wanted, NULL, NULL, NULL, NULL, &session),
        kVTParameterErr);
    CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, array, NULL, NULL, NULL, &session),
        kVTParameterErr);
    CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, format, NULL, NULL, NULL, &session),
        kVTParameterErr);
    CHECK(session == NULL);
    CFRelease(format);
    CFRelease(wanted);
    CFRelease(array);
    VTCompressionSessionRef *volatile nowhere = NULL;
    CHECK_EQ(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, collect, NULL, nowhere),
        kVTParameterErr);
    const int sizes[][2] = {{0, 64}, {64, -1}, {8, 8}, {100000, 64}};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(VTCompressionSessionCreate(NULL, sizes[i][0], sizes[i][1], kCMVideoCodecType_H264, NULL, NULL, NULL,
                     collect, NULL, &session),
            kVTParameterErr);
        CHECK(session == NULL);
    }
}

/* ---- The plain interface ---- */

typedef struct bytes {
    uint8_t *bytes;
    size_t size;
} bytes;

static void append(bytes *all, const void *data, size_t size) {
    all->bytes = realloc(all->bytes, all->size + size);
    memcpy(all->bytes + all->size, data, size);
    all->size += size;
}

static void append_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
    nalu_sample *sample) {
    size_t size = 0;
    const uint8_t *data = nalu_sample_get_data(sample, &size);
    (void)frame, (void)flags;
    CHECK_EQ(status, NALU_STATUS_OK);
    append(refcon, data, size);
}

/* With one thread and equal properties, the samples are those of libnalu's own interface, byte for byte. */
static void test_samples_of_the_plain_interface(void) {
    static const char text[] = "AverageBitRate=300000,ExpectedFrameRate=30.0,MaxKeyFrameInterval=20,"
                               "NaluMaxLookAheadFrameCount=12,x264.params=\"threads=1:mbtree=0:b-pyramid=none\"";
    collected all = COLLECTED;
    bytes plain = {NULL, 0}, here = {NULL, 0};
    nalu_compression_session *encoder = NULL;
    VTCompressionSessionRef session = session_of(192, 128, &all);
    REQUIRE(nalu_compression_session_create(
                192, 128, NALU_CODEC_H264, NULL, NULL, append_sample, &plain, NULL, &encoder) == NALU_STATUS_OK);
    CHECK_EQ(nalu_session_set_properties_from_text(encoder, text), NALU_STATUS_OK);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 300000), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 30), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 20), noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("threads=1:mbtree=0")), noErr);
    for (int n = 0; n < 60; n++) {
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, 192, 128, n);
        CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, NULL, NULL),
            noErr);
        const void *planes[2] = {
            CVPixelBufferGetBaseAddressOfPlane(buffer, 0), CVPixelBufferGetBaseAddressOfPlane(buffer, 1)};
        const int64_t strides[2] = {(int64_t)CVPixelBufferGetBytesPerRowOfPlane(buffer, 0),
            (int64_t)CVPixelBufferGetBytesPerRowOfPlane(buffer, 1)};
        const uint64_t sizes[2] = {(uint64_t)strides[0] * 128, (uint64_t)strides[1] * 64};
        CHECK_EQ(nalu_compression_session_encode_planes(encoder, 192, 128, NALU_PIXEL_FORMAT_420V, 2, planes, strides,
                     sizes, nalu_time_make(n, 30), nalu_time_invalid(), NULL, NULL, NULL),
            NALU_STATUS_OK);
        CVPixelBufferRelease(buffer);
    }
    CHECK_EQ(nalu_compression_session_complete_frames(encoder, nalu_time_invalid()), NALU_STATUS_OK);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    REQUIRE(all.count == 60);
    for (int i = 0; i < all.count; i++) {
        char *data = NULL;
        size_t size = 0;
        CMBlockBufferRef block = CMSampleBufferGetDataBuffer(all.samples[i]);
        CHECK_EQ(CMBlockBufferGetDataPointer(block, 0, NULL, &size, &data), noErr);
        append(&here, data, size);
    }
    CHECK(here.size == plain.size && memcmp(here.bytes, plain.bytes, plain.size) == 0);
    CHECK(plain.size > 5000);
    nalu_compression_session_release(encoder);
    end_session(session, &all);
    free(plain.bytes);
    free(here.bytes);
}

int main(void) {
    RUN(test_the_pool);
    RUN(test_frames_of_any_format);
    RUN(test_colours_of_the_first_frame);
    RUN(test_forced_key_frames);
    RUN(test_output_handlers);
    RUN(test_low_latency);
    RUN(test_measurements_and_tokens);
    RUN(test_refreshes_without_long_term_references);
    RUN(test_calls_inside_the_callback);
    RUN(test_constant_bit_rate);
    RUN(test_frames_that_are_refused);
    RUN(test_samples_of_the_plain_interface);
    return check_result();
}
