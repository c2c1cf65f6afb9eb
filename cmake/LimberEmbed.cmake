# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# cmake -DINPUT=... -DOUTPUT=... -DHEADER=... -DNAME=... -P LimberEmbed.cmake: a file as a C array.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUTPUT}
  "#include \"${HEADER}\"\n\nconst unsigned char ${NAME}[] = {\n${hex}};\n"
  "const size_t ${NAME}_size = sizeof ${NAME};\n")
