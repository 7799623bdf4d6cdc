# Run by CPack when the files of the packages are in their directories, one a component: adds what Debian's policy demands, with
# Debian's own tools. The dependencies on shared libraries are those of dpkg-shlibdeps, also of one package on another; the
# symbols files are those of dpkg-gensymbols.
cmake_minimum_required(VERSION 3.25)

# Directories have the umask of who packs, which CPack's own variable for them does not change; they are for everybody.
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

# run(WORD...): a command in the work directory; its output is left in `output`.
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

# The date of the sources makes packages of the same sources the same.
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

# These directories are the compiler's own: pkg-config names them to no compiler if it sees that they are.
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
    # Where Debian's zsh looks.
    file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
endif()

# ---- Shared libraries --------------------------------------------------------------------------------------------------------

# A node that is added after a release begins with the version of the next one.
set(first_version_of_NALU_0 0.1.0)
foreach(component IN ITEMS libnalu)
    if(NOT component IN_LIST CPACK_COMPONENTS_ALL)
        continue()
    endif()
    string(TOUPPER "${component}" upper)
    string(REPLACE "lib" "" name "${component}")
    set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    set(tree "${work}/debian/${package}")
    set(library "${tree}/usr/${CPACK_NALU_LIBDIR}/${component}.so.0")
    file(MAKE_DIRECTORY "${tree}/DEBIAN")
    file(CREATE_LINK "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr" "${tree}/usr" SYMBOLIC)

    file(STRINGS "${CPACK_NALU_SOURCE}/abi/${name}.symbols" nodes REGEX "^[A-Z]")
    list(TRANSFORM nodes REPLACE " .*" "")
    list(REMOVE_DUPLICATES nodes)
    set(template "${component}.so.0 ${package} #MINVER#\n* Build-Depends-Package: libnalu-dev\n")
    foreach(node IN LISTS nodes)
        if(NOT DEFINED first_version_of_${node})
            message(FATAL_ERROR "NaluDebian.cmake does not say which version of Nalu had ${node} first")
        endif()
        string(APPEND template " (symver)${node} ${first_version_of_${node}}\n")
    endforeach()
    file(WRITE "${work}/${package}.symbols" "${template}")
    run(dpkg-gensymbols -c4 -q "-p${package}" "-P${tree}" "-v${version}" "-I${work}/${package}.symbols" "-e${library}"
        "-O${tree}/DEBIAN/symbols")
    file(WRITE "${tree}/DEBIAN/shlibs" "${component} 0 ${package} (>= ${version})\n")
    file(WRITE "${tree}/DEBIAN/triggers" "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
        "${tree}/DEBIAN/symbols" "${tree}/DEBIAN/shlibs" "${tree}/DEBIAN/triggers")
    string(REPLACE "@${component}@" "${package} (= ${version})" CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
        "${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS}")
endforeach()

foreach(program IN ITEMS libnalu command)
    if(NOT program IN_LIST CPACK_COMPONENTS_ALL)
        continue()
    endif()
    string(TOUPPER "${program}" upper)
    if(program STREQUAL "command")
        set(file "${CPACK_TEMPORARY_DIRECTORY}/command/usr/bin/nalu")
    else()
        set(file "${work}/debian/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}/usr/${CPACK_NALU_LIBDIR}/${program}.so.0")
    endif()
    run(dpkg-shlibdeps -O "-x${CPACK_DEBIAN_${upper}_PACKAGE_NAME}" "-e${file}")
    string(REGEX REPLACE "^.*shlibs:Depends=" "" CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${output}")
    if(program STREQUAL "command")
        string(APPEND CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS ", ${CPACK_NALU_COMMAND_DEPENDS}")
    endif()
endforeach()

open_directories()
