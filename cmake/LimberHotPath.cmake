# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The files of the hot path, compiled once portably and once for AVX2 and FMA (src/base/isa.h,
# src/tree/kernels.h): sets LB_CORE_COPIES, the objects of the second copy.

set(LB_HOT_SOURCES
    src/base/symmetric.c
    src/batch/batch_forward.c
    src/batch/batch_inverse.c
    src/batch/batch_kernels.c
    src/batch/batch_mass.c
    src/divide/assemble.c
    src/divide/disassemble.c
    src/divide/join.c
    src/divide/sweeps.c
    src/tree/angles.c
    src/tree/articulated_body.c
    src/tree/composite_body.c
    src/tree/composite_rigid.c
    src/derivatives/derivative_columns.c
    src/derivatives/derivative_flex.c
    src/derivatives/derivative_solve.c
    src/derivatives/derivative_sweep.c
    src/tree/eliminate.c
    src/tree/flexible.c
    src/tree/inverse.c
    src/tree/kernels.c
    src/tree/kinematics.c
    src/tree/ruthless.c
    src/modal/appendix_c.c
    src/modal/flex_inertia.c)
list(TRANSFORM LB_HOT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/)

# Straight-line code of 3-vectors is slower when a compiler packs it into wider registers, and waits
# for what it has just written in halves. Where lanes pay, the code has them.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(LB_HOT_OPTIONS -fno-tree-vectorize)
else()
  set(LB_HOT_OPTIONS -fno-slp-vectorize)
endif()
set_source_files_properties(${LB_HOT_SOURCES} PROPERTIES COMPILE_OPTIONS "${LB_HOT_OPTIONS}")

# Lanes are arguments of functions that are always inlined: no calling convention is concerned.
file(GLOB LB_LANE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/batch/*.c
     ${PROJECT_SOURCE_DIR}/src/derivatives/*.c)
set_property(SOURCE ${LB_LANE_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -Wno-psabi)

if(LB_AVX2 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  add_library(limber-avx2 OBJECT ${LB_HOT_SOURCES})
  lb_set_defaults(limber-avx2)
  target_include_directories(limber-avx2 PRIVATE ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(limber-avx2 PRIVATE LB_ISA=avx2)
  # behind lb_set_defaults: here a product and a sum become one instruction
  target_compile_options(limber-avx2 PRIVATE -mavx2 -mfma -ffp-contract=fast)
  set_target_properties(limber-avx2 PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(LB_CORE_COPIES $<TARGET_OBJECTS:limber-avx2>)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/batch/batch.c
                              ${PROJECT_SOURCE_DIR}/src/tree/dispatch.c PROPERTIES
                              COMPILE_DEFINITIONS LB_HAVE_AVX2)
endif()
