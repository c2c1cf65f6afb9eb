# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts where. Everything installed can be moved as a whole.
include(CMakePackageConfigHelpers)

install(TARGETS limber-cli COMPONENT cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${LB_PUBLIC_HEADERS} COMPONENT core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/limber)
install(FILES LICENSE COMPONENT core DESTINATION ${CMAKE_INSTALL_DOCDIR})

file(GLOB schemas CONFIGURE_DEPENDS schema/*.json)
install(FILES ${schemas} COMPONENT io DESTINATION ${CMAKE_INSTALL_DATADIR}/limber/schema)

# ---- shell completion: the command writes it from its own table of options -----------------------

if(NOT CMAKE_CROSSCOMPILING)
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

# ---- CMake: find_package(limber COMPONENTS core flex io sim) ------------------------------------

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
set(components core flex io)
set(pc_files limber:core limber-flex:flex limber-io:io)
if(LB_BUILD_SIM)
  list(APPEND components sim)
  list(APPEND pc_files limber-sim:sim)
endif()
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

# Where only static libraries are installed, what they need is public, so that plain
# `pkg-config --libs` links; beside shared ones it is private, for `pkg-config --static`.
list(TRANSFORM LB_SUNDIALS PREPEND -lsundials_ OUTPUT_VARIABLE sundials_libs)
list(JOIN sundials_libs " " sundials_libs)
if(LB_BUILD_SHARED)
  set(LB_PC_CORE "Libs: -L\${libdir} -llimber\nLibs.private: -lm")
  set(LB_PC_FLEX "Libs: -L\${libdir} -llimber-flex\nLibs.private: -lm")
  string(APPEND LB_PC_FLEX "\nRequires: limber = ${PROJECT_VERSION}")
  string(APPEND LB_PC_FLEX "\nRequires.private: lapacke, lapack, arpack, superlu")
  set(LB_PC_IO "Requires: limber-flex = ${PROJECT_VERSION}")
  string(APPEND LB_PC_IO "\nRequires.private: yaml-0.1, jansson, libxml-2.0")
  set(LB_PC_SIM "Libs: -L\${libdir} -llimber-sim\nLibs.private: ${sundials_libs} -lm")
  string(APPEND LB_PC_SIM "\nRequires: limber-io = ${PROJECT_VERSION}")
  string(APPEND LB_PC_SIM "\nRequires.private: ${LIMBER_HDF5_MODULE_NAME}, matio, lapacke, lapack")
else()
  set(LB_PC_CORE "Libs: -L\${libdir} -llimber -lm")
  set(LB_PC_FLEX "Libs: -L\${libdir} -llimber-flex -lm")
  string(APPEND LB_PC_FLEX
         "\nRequires: limber = ${PROJECT_VERSION}, lapacke, lapack, arpack, superlu")
  set(LB_PC_IO "Requires: limber-flex = ${PROJECT_VERSION}, yaml-0.1, jansson, libxml-2.0")
  set(LB_PC_SIM "Libs: -L\${libdir} -llimber-sim ${sundials_libs} -lm")
  string(APPEND LB_PC_SIM
         "\nRequires: limber-io = ${PROJECT_VERSION}, ${LIMBER_HDF5_MODULE_NAME}, matio, lapacke, "
         "lapack")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(LB_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(LB_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(LB_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  # relative to the file itself: lib/pkgconfig -> ../..
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(LB_PC_PREFIX "\${pcfiledir}/${up}")
  set(LB_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(LB_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
foreach(pair IN LISTS pc_files)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 component)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
