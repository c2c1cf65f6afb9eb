# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=limber -DFOLDER=... -P: pages for man, one for the program and one for each command that its own
# page names.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PROGRAM} help --man OUTPUT_FILE ${FOLDER}/limber.1 COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${FOLDER}/limber.1 lines REGEX "^limber-[a-z]+\\(1\\)")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^limber-([a-z]+)\\(1\\).*" "\\1" command ${line})
  execute_process(COMMAND ${PROGRAM} help --man ${command} OUTPUT_FILE ${FOLDER}/limber-${command}.1
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
