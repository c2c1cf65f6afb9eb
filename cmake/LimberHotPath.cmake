# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The hot path: compiled file by file for the default target, and once more, in one file of
# src/dynamics/kernels, for each instruction set that the model may choose at run time.
include(CheckCCompilerFlag)

# The lists are src/dynamics/kernels/hot.inc and, for batches, src/dynamics/kernels/batch.inc.
file(STRINGS src/dynamics/kernels/hot.inc LB_HOT_SOURCES REGEX "^#include")
file(STRINGS src/dynamics/kernels/batch.inc batch_sources REGEX "^#include")
list(APPEND LB_HOT_SOURCES ${batch_sources})
list(TRANSFORM LB_HOT_SOURCES REPLACE "#include \"(.*)\"" "${PROJECT_SOURCE_DIR}/src/\\1")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/dynamics/kernels/hot.inc
             src/dynamics/kernels/batch.inc)

# Straight-line code of 3-vectors is slower when a compiler packs it into wider registers, and waits
# for what it has just written in halves. Where lanes pay, the code has them.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(LB_HOT_OPTIONS -fno-tree-vectorize)
else()
  set(LB_HOT_OPTIONS -fno-slp-vectorize)
endif()
set_source_files_properties(${LB_HOT_SOURCES} ${PROJECT_SOURCE_DIR}/src/dynamics/tree/dispatch.c PROPERTIES
                            COMPILE_OPTIONS "${LB_HOT_OPTIONS}")

# What is called in every evaluation reads nothing from outside and keeps arrays on the stack: there,
# canaries would take up to 2 % of the instructions, and checked copies 1 %, by what is inlined.
file(GLOB LB_BARE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dynamics/tree/*.c)
list(APPEND LB_BARE_SOURCES ${LB_HOT_SOURCES} ${PROJECT_SOURCE_DIR}/src/dynamics/kernels/avx2.c
     ${PROJECT_SOURCE_DIR}/src/dynamics/kernels/avx512.c)
list(REMOVE_DUPLICATES LB_BARE_SOURCES)
if(LB_HARDEN_COMPILE)
  set_property(SOURCE ${LB_BARE_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -fno-stack-protector
               -U_FORTIFY_SOURCE)
endif()

# Lanes are arguments of functions that are always inlined: no calling convention is concerned.
file(GLOB LB_LANE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/dynamics/batch/*.c
     ${PROJECT_SOURCE_DIR}/src/dynamics/derivatives/*.c ${PROJECT_SOURCE_DIR}/src/dynamics/kernels/*.c)
set_property(SOURCE ${LB_LANE_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -Wno-psabi)

# lb_add_copy(SET OPTION...): src/dynamics/kernels/<set>.c, where the option LB_<SET> and the compiler allow it.
# A product and a sum become one instruction there. Functions start at cache lines, so that the time of
# one does not depend on what precedes it in the file.
function(lb_add_copy set)
  set(source ${PROJECT_SOURCE_DIR}/src/dynamics/kernels/${set}.c)
  string(TOUPPER ${set} SET)
  list(REMOVE_ITEM LB_CORE_SOURCES ${source})
  string(REPLACE ";" " " flags "${ARGN}")
  set(wanted OFF)
  if(LB_${SET} AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    check_c_compiler_flag("${flags}" LB_COMPILES_${SET})
    set(wanted ${LB_COMPILES_${SET}})
  endif()
  if(wanted)
    list(APPEND LB_CORE_COPIES ${source})
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${LB_HOT_OPTIONS} ${ARGN}
                 -ffp-contract=fast -falign-functions=64)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/dynamics/kernels/choose.c
                 ${PROJECT_SOURCE_DIR}/src/dynamics/kernels/avx2.c APPEND PROPERTY
                 COMPILE_DEFINITIONS LB_HAVE_${SET})
  endif()
  set(LB_CORE_SOURCES ${LB_CORE_SOURCES} PARENT_SCOPE)
  set(LB_CORE_COPIES ${LB_CORE_COPIES} PARENT_SCOPE)
endfunction()
lb_add_copy(avx2 -mavx2 -mfma)
if(NOT LB_AVX2) # all but batches is that of AVX2
  set(LB_AVX512 OFF)
endif()
lb_add_copy(avx512 -mavx512f -mavx512dq -mavx512vl -mfma)
