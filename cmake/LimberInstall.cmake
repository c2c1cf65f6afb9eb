# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts where. Everything installed can be moved as a whole.
include(CMakePackageConfigHelpers)

# ---- files of each component --------------------------------------------------------------------

set(components core)
if(LB_WITH_CUDA)
  list(APPEND components cuda)
endif()
if(LB_BUILD_SIM)
  list(APPEND components sim)
  install(TARGETS limber-cli COMPONENT cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  file(GLOB schemas CONFIGURE_DEPENDS schema/*.json)
  install(FILES ${schemas} COMPONENT cli DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/schema)
  # beside the schema, which the first line of every model names for editors
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/limber COMPONENT cli USE_SOURCE_PERMISSIONS
          FILES_MATCHING PATTERN "*.yaml" PATTERN "*.py" PATTERN "*.sh" PATTERN "*.c")
endif()

foreach(component IN LISTS components)
  string(TOUPPER ${component} upper)
  list(TRANSFORM LB_${upper}_HEADERS PREPEND include/limber/ OUTPUT_VARIABLE headers)
  install(FILES ${headers} COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/limber)
endforeach()
if(LB_BUILD_VIEW)
  # of what is in the viewer's page, which is in the command
  foreach(package IN ITEMS three uplot)
    install(FILES viewer/third-party/${package}/LICENSE RENAME LICENSE.${package} COMPONENT cli
            DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endforeach()
endif()
install(FILES LICENSE COMPONENT core DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md COMPONENT doc DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/guide docs/theory COMPONENT doc DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.bib")

# ---- shell completion: the command writes it from its own table of options -----------------------

if(LB_BUILD_SIM AND NOT CMAKE_CROSSCOMPILING)
  set(completion_dir ${PROJECT_BINARY_DIR}/completion)
  file(MAKE_DIRECTORY ${completion_dir})
  foreach(entry IN ITEMS bash:limber:bash-completion/completions zsh:_limber:zsh/site-functions
          fish:limber.fish:fish/vendor_completions.d)
    string(REPLACE ":" ";" entry ${entry})
    list(POP_FRONT entry shell file destination)
    add_custom_command(OUTPUT ${completion_dir}/${file}
                       COMMAND limber-cli completion ${shell} > ${completion_dir}/${file}
                       DEPENDS limber-cli VERBATIM)
    list(APPEND completion_files ${completion_dir}/${file})
    install(FILES ${completion_dir}/${file} COMPONENT cli
            DESTINATION ${CMAKE_INSTALL_DATADIR}/${destination})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completion_files})
endif()

# ---- pages for man, likewise ------------------------------------------------------------------------

if(LB_BUILD_SIM AND NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man1.stamp
                     COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:limber-cli>
                             -DFOLDER=${PROJECT_BINARY_DIR}/man1
                             -P ${PROJECT_SOURCE_DIR}/cmake/LimberManual.cmake
                     COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/man1.stamp
                     DEPENDS limber-cli ${PROJECT_SOURCE_DIR}/cmake/LimberManual.cmake VERBATIM)
  add_custom_target(man-pages ALL DEPENDS ${PROJECT_BINARY_DIR}/man1.stamp)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man1 COMPONENT cli DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()

# ---- CMake: find_package(limber COMPONENTS core sim cuda) ----------------------------------------

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
foreach(component IN LISTS components)
  install(EXPORT limber-${component} NAMESPACE limber:: COMPONENT ${component}
          FILE limber-${component}.cmake DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/limber-config.cmake.in limber-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(limber-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/limber-config.cmake
              ${PROJECT_BINARY_DIR}/limber-config-version.cmake
        COMPONENT core DESTINATION ${package_dir})

# ---- pkg-config ---------------------------------------------------------------------------------

# lb_add_pc(NAME COMPONENT DESCRIPTION REQUIRES FLAGS...): FLAGS link what the library needs. Where
# only static libraries are installed they are public, so that plain `pkg-config --libs` links;
# beside shared ones they are private, for `pkg-config --static`. They are not named as modules,
# whose own static needs would be asked for although they are linked as shared libraries: those of
# Debian's libxml2 are not installed with it.
function(lb_add_pc name component description requires)
  list(REMOVE_DUPLICATES ARGN)
  list(JOIN ARGN " " flags)
  if(LB_BUILD_SHARED)
    set(libs "Libs: -L\${libdir} -l${name}\nLibs.private: ${flags}")
  else()
    set(libs "Libs: -L\${libdir} -l${name} ${flags}")
  endif()
  if(requires)
    string(APPEND libs "\nRequires: ${requires} = ${PROJECT_VERSION}")
  endif()
  configure_file(cmake/module.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  # relative to the file itself: lib/pkgconfig -> ../..
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

lb_add_pc(limber core "${PROJECT_DESCRIPTION}" "" -lm)
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE dl)
if(LB_BUILD_SIM)
  list(TRANSFORM LB_SUNDIALS PREPEND -lsundials_ OUTPUT_VARIABLE sundials)
  list(TRANSFORM LB_MUMPS PREPEND -l OUTPUT_VARIABLE mumps)
  lb_add_pc(limber-sim sim "Files, flexible bodies and motion in time for Limber" limber ${sundials}
            ${LIMBER_LAPACK_LDFLAGS} ${LIMBER_SPARSE_LDFLAGS} ${mumps} ${LIMBER_YAML_LDFLAGS} ${LIMBER_JANSSON_LDFLAGS}
            ${LIMBER_XML_LDFLAGS} ${LB_OPENMP_FLAGS} ${dl} ${CMAKE_THREAD_LIBS_INIT} -lm)
endif()
if(LB_WITH_CUDA)
  lb_add_pc(limber-cuda cuda "Graphics processors for Limber" limber-sim ${dl} -lm)
endif()

# ---- an archive of all of it, to unpack anywhere: cpack ---------------------------------------------------

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_PACKAGE_VENDOR "The Limber authors")
  set(CPACK_PACKAGE_FILE_NAME
      ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_VERBATIM_VARIABLES ON)
  include(CPack)
endif()
