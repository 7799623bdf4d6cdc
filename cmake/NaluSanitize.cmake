# Applies NALU_SANITIZE to everything that is compiled and linked from here on. The sanitizer's runtime is part of
# the executables, as is usual on Linux; a sanitised libnalu.so therefore leaves its symbols undefined.
if(NALU_SANITIZE)
    if(NOT NALU_SANITIZE MATCHES "^(address|thread)$")
        message(FATAL_ERROR "NALU_SANITIZE is \"${NALU_SANITIZE}\"; expected address, thread or nothing")
    endif()
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "NALU_SANITIZE needs the clang of the Swift toolchain, not ${CMAKE_C_COMPILER}")
    endif()
    # C has undefined behaviour that Swift has not. AddressSanitizer's runtime holds that of UndefinedBehaviorSanitizer; a
    # finding ends the process.
    set(c_flags -fsanitize=${NALU_SANITIZE})
    if(NALU_SANITIZE STREQUAL "address")
        set(c_flags -fsanitize=address,undefined -fno-sanitize-recover=undefined)
    endif()
    add_compile_options(
        "$<$<COMPILE_LANGUAGE:C,CXX>:${c_flags};-fno-omit-frame-pointer>"
        "$<$<COMPILE_LANGUAGE:Swift>:-sanitize=${NALU_SANITIZE}>")
    add_link_options(
        "$<$<LINK_LANGUAGE:C,CXX>:${c_flags};-fuse-ld=lld>"
        "$<$<LINK_LANGUAGE:Swift>:-sanitize=${NALU_SANITIZE}>")

    # ThreadSanitizer's runtime knows libdispatch, so an executable in C must link it too.
    if(NALU_SANITIZE STREQUAL "thread")
        execute_process(COMMAND "${CMAKE_Swift_COMPILER}" -print-target-info
            OUTPUT_VARIABLE info COMMAND_ERROR_IS_FATAL ANY)
        string(JSON runtime GET "${info}" paths runtimeLibraryPaths 0)
        add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-Wl,--push-state,--no-as-needed;${runtime}/libdispatch.so>"
            "$<$<LINK_LANGUAGE:C,CXX>:${runtime}/libBlocksRuntime.so;-Wl,--pop-state,-rpath,${runtime}>")
    endif()
endif()
