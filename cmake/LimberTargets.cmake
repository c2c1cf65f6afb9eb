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

# ---- hardening ----------------------------------------------------------------------------------

# What limits the harm of a mistake with memory: canaries on the stack, checked copies, addresses that
# change from run to run, tables of functions that nothing overwrites. Sanitizers do more, and in their own
# way. What is evaluated often has no canaries: LimberHotPath.cmake.
set(LB_HARDEN_COMPILE "")
set(LB_HARDEN_LINK "")
if(LB_HARDEN AND NOT LB_SANITIZE)
  include(CheckCCompilerFlag)
  include(CheckLinkerFlag)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection)
    string(MAKE_C_IDENTIFIER "LB_COMPILES${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND LB_HARDEN_COMPILE ${flag})
    endif()
  endforeach()
  foreach(word IN ITEMS relro now noexecstack)
    check_linker_flag(C -Wl,-z,${word} LB_LINKS_${word})
    if(LB_LINKS_${word})
      list(APPEND LB_HARDEN_LINK -Wl,-z,${word})
    endif()
  endforeach()
  # checked copies need an optimiser, and level 3 a compiler that follows sizes
  set(level 2)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(level 3)
  endif()
  foreach(config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
    string(TOUPPER ${config} upper)
    if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${upper}}" MATCHES "-O([1-3sgz]|fast)?( |$)")
      # some compilers set a level of their own
      list(APPEND LB_HARDEN_COMPILE $<$<CONFIG:${config}>:-U_FORTIFY_SOURCE>
           $<$<CONFIG:${config}>:-D_FORTIFY_SOURCE=${level}>)
    endif()
  endforeach()
endif()

# ---- targets ------------------------------------------------------------------------------------

# Language, warnings, hardening and sanitizers. No contraction into fused multiply-adds: results have the same
# bits whether or not the processor has them.
function(lb_set_defaults target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                        C_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C>:${LB_WARNINGS}>" -ffp-contract=off
                         ${LB_HARDEN_COMPILE})
  target_link_options(${target} PRIVATE ${LB_HARDEN_LINK})
  if(LB_HARDEN AND NOT LB_SANITIZE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
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
    # limber-sim is imported as limber::sim, limber-sim-shared as limber::sim-shared
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
    list(TRANSFORM ARGN REPLACE "^(limber|limber-sim)$" "\\1-shared" OUTPUT_VARIABLE libraries)
    target_link_libraries(${name}-shared ${scope} ${libraries})
  endif()
endfunction()

# lb_embed_file(INPUT HEADER NAME): a file that is built in, as the array NAME in NAME.c of the build folder
function(lb_embed_file input header name)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${name}.c
    COMMAND ${CMAKE_COMMAND} -DINPUT=${PROJECT_SOURCE_DIR}/${input}
            -DOUTPUT=${PROJECT_BINARY_DIR}/${name}.c -DHEADER=${header} -DNAME=${name}
            -P ${PROJECT_SOURCE_DIR}/cmake/LimberEmbed.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/${input} ${PROJECT_SOURCE_DIR}/cmake/LimberEmbed.cmake
    VERBATIM)
endfunction()
