# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# lb_embed_kernels(OUTPUT NAME FILE...): headers of kernels as one text in a C array, which ends in a zero. Their
# includes of each other are left out: they come in the order in which they need each other.
function(lb_embed_kernels output name)
  set(text "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${file} part)
    string(REGEX REPLACE "#include \"[^\n]*\n" "" part "${part}")
    string(APPEND text "${part}")
  endforeach()
  file(CONFIGURE OUTPUT ${output}.cu CONTENT "${text}" @ONLY)
  file(READ ${output}.cu hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  file(CONFIGURE OUTPUT ${output} CONTENT
    "extern const unsigned char ${name}[];\nconst unsigned char ${name}[] = {\n${hex}0x00};\n" @ONLY)
endfunction()
