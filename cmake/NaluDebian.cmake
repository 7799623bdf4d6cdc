# CPack runs this script after it has copied the files of each component to a directory. The script adds what Debian's
# policy requires, with Debian's tools: dpkg-shlibdeps finds the dependencies on shared libraries, including those between
# these packages, and dpkg-gensymbols writes the symbols files.
cmake_minimum_required(VERSION 3.25)

# Makes directories accessible to everyone. CPack creates them with the umask of the build, and its own variable for
# their permissions has no effect on this.
function(open_directories)
    execute_process(COMMAND find "${CPACK_TEMPORARY_DIRECTORY}" -type d -exec chmod 755 "{}" + COMMAND_ERROR_IS_FATAL ANY)
endfunction()

open_directories()
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()

set(work "${CPACK_TEMPORARY_DIRECTORY}/../nalu-debian")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}/debian")
set(version "${CPACK_PACKAGE_VERSION}")

# run(WORD...) runs a command in the work directory, and stores its output in `output`.
function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${work}" OUTPUT_VARIABLE output ERROR_VARIABLE errors
        RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT result EQUAL 0)
        list(JOIN ARGN " " words)
        message(FATAL_ERROR "${words}: ${result}\n${output}\n${errors}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# ---- Documents ---------------------------------------------------------------------------------------------------------------

# The date is that of the sources, so packages of the same sources are equal.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    set(moment "$ENV{SOURCE_DATE_EPOCH}")
else()
    execute_process(COMMAND git -C "${CPACK_NALU_SOURCE}" log -1 --format=%ct OUTPUT_VARIABLE moment ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT moment)
        file(TIMESTAMP "${CPACK_NALU_SOURCE}/CHANGELOG.md" moment "%s" UTC)
    endif()
endif()
run(env LC_ALL=C date --utc --rfc-email "--date=@${moment}")
file(WRITE "${work}/changelog" "nalu (${version}) unstable; urgency=medium

  * Version ${version}. CHANGELOG.md in libnalu-dev has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${output}
")
file(COPY "${CPACK_NALU_SOURCE}/CHANGELOG.md" DESTINATION "${work}")
run(gzip -9n changelog CHANGELOG.md)

set(control "Source: nalu\nMaintainer: ${CPACK_PACKAGE_CONTACT}\n")
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" upper)
    set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    set(documents "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package}")
    file(COPY "${work}/changelog.gz" "${CPACK_NALU_SOURCE}/cmake/debian/copyright" DESTINATION "${documents}")
    if(component STREQUAL "development")
        file(COPY "${work}/CHANGELOG.md.gz" DESTINATION "${documents}")
    endif()
    file(CHMOD_RECURSE "${documents}" FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    string(APPEND control "\nPackage: ${package}\nArchitecture: any\n")
endforeach()
file(WRITE "${work}/debian/control" "${control}")

# With this prefix, pkg-config sees that the directories are the compiler's default ones, and omits them.
file(GLOB pcs "${CPACK_TEMPORARY_DIRECTORY}/development/usr/${CPACK_NALU_LIBDIR}/pkgconfig/*.pc")
foreach(pc IN LISTS pcs)
    file(READ "${pc}" text)
    string(REGEX REPLACE "^prefix=[^\n]*" "prefix=/usr" text "${text}")
    file(WRITE "${pc}" "${text}")
    file(CHMOD "${pc}" FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()

set(share "${CPACK_TEMPORARY_DIRECTORY}/command/usr/share")
if(EXISTS "${share}")
    file(GLOB pages "${share}/man/man1/*.1")
    run(gzip -9nf ${pages})
    # Debian's zsh searches this directory.
    file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
endif()

# ---- Shared libraries --------------------------------------------------------------------------------------------------------

# The version of Nalu that first had each version node. A node added after a release has the version of the next release.
set(first_version_of_NALU_0 0.1.0)
set(package "${CPACK_DEBIAN_LIBNALU_PACKAGE_NAME}")
set(tree "${work}/debian/${package}")
set(library "${tree}/usr/${CPACK_NALU_LIBDIR}/libnalu.so.0")
if("libnalu" IN_LIST CPACK_COMPONENTS_ALL)
    file(MAKE_DIRECTORY "${tree}/DEBIAN")
    file(CREATE_LINK "${CPACK_TEMPORARY_DIRECTORY}/libnalu/usr" "${tree}/usr" SYMBOLIC)

    file(STRINGS "${CPACK_NALU_SOURCE}/abi/nalu.symbols" nodes REGEX "^[A-Z]")
    list(TRANSFORM nodes REPLACE " .*" "")
    list(REMOVE_DUPLICATES nodes)
    set(template "libnalu.so.0 ${package} #MINVER#\n* Build-Depends-Package: libnalu-dev\n")
    foreach(node IN LISTS nodes)
        if(NOT DEFINED first_version_of_${node})
            message(FATAL_ERROR "first_version_of_${node} is not set in NaluDebian.cmake; set it to the first version of Nalu with this node")
        endif()
        string(APPEND template " (symver)${node} ${first_version_of_${node}}\n")
    endforeach()
    file(WRITE "${work}/${package}.symbols" "${template}")
    run(dpkg-gensymbols -c4 -q "-p${package}" "-P${tree}" "-v${version}" "-I${work}/${package}.symbols" "-e${library}"
        "-O${tree}/DEBIAN/symbols")
    file(WRITE "${tree}/DEBIAN/shlibs" "libnalu 0 ${package} (>= ${version})\n")
    file(WRITE "${tree}/DEBIAN/triggers" "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_LIBNALU_PACKAGE_CONTROL_EXTRA
        "${tree}/DEBIAN/symbols" "${tree}/DEBIAN/shlibs" "${tree}/DEBIAN/triggers")
endif()
string(REPLACE "@libnalu@" "${package} (= ${version})" CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS}")

# depend(COMPONENT FILE [OPTION...]) makes the package of a component depend on the libraries that the file needs.
macro(depend component file)
    if("${component}" IN_LIST CPACK_COMPONENTS_ALL)
        string(TOUPPER "${component}" upper)
        run(dpkg-shlibdeps -O "-x${CPACK_DEBIAN_${upper}_PACKAGE_NAME}" ${ARGN} "-e${file}")
        string(REGEX REPLACE "^.*shlibs:Depends=" "" CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${output}")
    endif()
endmacro()

depend(libnalu "${library}")
depend(command "${CPACK_TEMPORARY_DIRECTORY}/command/usr/bin/nalu")
string(APPEND CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS ", ${CPACK_NALU_COMMAND_DEPENDS}")
# dpkg-shlibdeps finds libnalu in the tree of its package, with the symbols file from above.
depend(gstreamer "${CPACK_TEMPORARY_DIRECTORY}/gstreamer/usr/${CPACK_NALU_LIBDIR}/gstreamer-1.0/libgstnalu.so"
    "-l${tree}/usr/${CPACK_NALU_LIBDIR}")

open_directories()
