# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# How every target of the project is compiled.

set(LB_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # texts for people cut overlong names on purpose
  list(APPEND LB_WARNINGS -Wno-format-truncation)
endif()
if(LB_WERROR)
  list(APPEND LB_WARNINGS -Werror)
endif()

# Language, warnings and sanitizers. No contraction into fused multiply-adds: results have the same
# bits whether or not the processor has them.
function(lb_set_defaults target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                        C_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE ${LB_WARNINGS} -ffp-contract=off)
  if(LB_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LB_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    # PUBLIC: whoever links a sanitized library needs the run-time
    target_link_options(${target} PUBLIC -fsanitize=${LB_SANITIZE})
  endif()
endfunction()

# A static library, and with LB_BUILD_SHARED a shared one `<name>-shared` beside it. `component` is
# the name of its export set and of its installation component.
function(lb_add_library name component)
  set(kinds STATIC)
  if(LB_BUILD_SHARED)
    list(APPEND kinds SHARED)
  endif()
  foreach(kind IN LISTS kinds)
    set(target ${name})
    if(kind STREQUAL SHARED)
      set(target ${name}-shared)
    endif()
    add_library(${target} ${kind} ${ARGN})
    # the kit is private: a shared library of ours brings its own copy
    if(kind STREQUAL SHARED AND NOT component STREQUAL core)
      target_sources(${target} PRIVATE ${LB_KIT_SOURCES})
    endif()
    lb_set_defaults(${target})
    target_include_directories(${target}
      PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
      PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # limber-io is imported as limber::io, limber-io-shared as limber::io-shared
    string(REGEX REPLACE "^limber-${component}" "${component}" export_name ${target})
    # soname: while the version is 0.x, every minor version may break the ABI
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${export_name}
                          POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    # installed libraries of ours find each other: a program that uses one may not link all itself
    if(kind STREQUAL SHARED AND NOT APPLE)
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
    install(TARGETS ${target} EXPORT limber-${component} COMPONENT ${component}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endforeach()
endfunction()

# Links both kinds of a library; of libraries of ours, each kind with its own.
function(lb_link name scope)
  target_link_libraries(${name} ${scope} ${ARGN})
  if(LB_BUILD_SHARED)
    list(TRANSFORM ARGN REPLACE "^(limber|limber-flex|limber-io)$" "\\1-shared" OUTPUT_VARIABLE libraries)
    target_link_libraries(${name}-shared ${scope} ${libraries})
  endif()
endfunction()
