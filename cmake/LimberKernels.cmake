# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# lb_embed_kernels(OUTPUT NAME FILE): a source of kernels, and all of ours that it includes, as one text of CUDA in a C
# array that ends in a zero. The compiler of CUDA at run time finds no files, so that headers of the system are left
# out: it knows what we use of them.

# Puts a file behind what it includes, each file once, into `text`. Files *.inc are only included where there are
# vectors of the compiler, which a device has not.
function(lb_gather_kernels file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} part)
  get_filename_component(folder ${file} DIRECTORY)
  string(REGEX MATCHALL "#include \"[^\"\n]*\"" includes "${part}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" name "${include}")
    foreach(place IN ITEMS ${folder} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
      get_filename_component(path ${place}/${name} ABSOLUTE)
      if(EXISTS ${path})
        break()
      endif()
    endforeach()
    if(NOT name MATCHES "\\.inc$" AND NOT path IN_LIST gathered)
      list(APPEND gathered ${path})
      lb_gather_kernels(${path})
    endif()
  endforeach()
  string(REGEX REPLACE "#include [^\n]*\n" "" part "${part}")
  # (lb_vec6){x, y} of C is lb_vec6{x, y} in C++
  string(REGEX REPLACE "\\(([a-z0-9_]+)\\)\\{" "\\1{" part "${part}")
  set(gathered "${gathered}" PARENT_SCOPE)
  set(text "${text}${part}" PARENT_SCOPE)
endfunction()

function(lb_embed_kernels output name file)
  set(text "")
  set(gathered "")
  lb_gather_kernels(${PROJECT_SOURCE_DIR}/${file})
  file(CONFIGURE OUTPUT ${output}.cu CONTENT "${text}" @ONLY)
  file(READ ${output}.cu hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  file(CONFIGURE OUTPUT ${output} CONTENT
    "extern const unsigned char ${name}[];\nconst unsigned char ${name}[] = {\n${hex}0x00};\n" @ONLY)
endfunction()
