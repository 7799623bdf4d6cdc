# Applies NALU_SANITIZE to all targets that are declared after this file. The executables contain the sanitizer's runtime,
# as is usual on Linux, so its symbols are undefined in a sanitized libnalu.so.
if(NALU_SANITIZE)
    if(NOT NALU_SANITIZE MATCHES "^(address|thread)$")
        message(FATAL_ERROR "NALU_SANITIZE is \"${NALU_SANITIZE}\"; expected address, thread or nothing")
    endif()
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "NALU_SANITIZE needs the clang of the Swift toolchain, not ${CMAKE_C_COMPILER}")
    endif()
    # C is also compiled with UndefinedBehaviorSanitizer, whose runtime is part of AddressSanitizer's. A finding ends the
    # process.
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

    # ThreadSanitizer's runtime refers to libdispatch, so executables in C must link libdispatch too.
    if(NALU_SANITIZE STREQUAL "thread")
        execute_process(COMMAND "${CMAKE_Swift_COMPILER}" -print-target-info
            OUTPUT_VARIABLE info COMMAND_ERROR_IS_FATAL ANY)
        string(JSON runtime GET "${info}" paths runtimeLibraryPaths 0)
        add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-Wl,--push-state,--no-as-needed;${runtime}/libdispatch.so>"
            "$<$<LINK_LANGUAGE:C,CXX>:${runtime}/libBlocksRuntime.so;-Wl,--pop-state,-rpath,${runtime}>")
    endif()
endif()
