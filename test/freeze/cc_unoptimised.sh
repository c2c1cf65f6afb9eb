#!/bin/sh
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# The C compiler, for CC: whatever level it is asked for, it does not optimise, in a quarter of the time.
exec cc "$@" -O0
