# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# SUNDIALS, of which Debian installs no .pc files: sets LB_SUNDIALS_LIBRARIES to names for the
# linker, so that what we install does not hold paths of the machine it was built on.
include(CheckIncludeFile)
check_include_file(arkode/arkode_erkstep.h LB_HAVE_ARKODE)
check_include_file(cvode/cvode.h LB_HAVE_CVODE)
if(NOT LB_HAVE_ARKODE OR NOT LB_HAVE_CVODE)
  message(FATAL_ERROR "SUNDIALS 6 not found (Debian: libsundials-dev); "
                      "-DLB_BUILD_SIM=OFF builds everything but simulation")
endif()
set(LB_SUNDIALS_LIBRARIES sundials_arkode sundials_cvode sundials_nvecserial)
