# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# A thin layer over CMake; nothing here installs anything. CMakePresets.json has more builds.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF
CMAKE_FLAGS ?=
FUZZ_SECONDS ?= 60
ROBOTS ?=

MAKEFLAGS += --no-print-directory
CTEST = ctest --output-on-failure --parallel $(JOBS)
C_FILES = find include src cli view test scenes bench examples -name '*.[ch]' 2>/dev/null

# clang with its sanitizers and its OpenMP
CLANG = $(shell echo 'int main(void) { return 0; }' | \
	clang -fopenmp -fsanitize=thread -x c - -o /dev/null 2>/dev/null && echo yes)

# the sanitizers of clang, where it is, so that all is compiled by it too; those of gcc elsewhere
SANITIZED = $(if $(CLANG),-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)

.PHONY: all configure build-all check test tools sets asan tsan bench counts coverage deb demo docs format fuzz \
	gallery package reliability screens validation wheel clean help

all: configure
	cmake --build build --parallel $(JOBS) --target limber-cli completions man-pages

configure:
	@cmake -S . -B build -DLB_WERROR=$(WERROR) $(CMAKE_FLAGS)

build-all: configure
	cmake --build build --parallel $(JOBS)

check: configure
	cmake --build build --parallel $(JOBS) --target fast
	$(CTEST) --test-dir build -L fast

test: build-all
	$(CTEST) --test-dir build --label-exclude tools

tools: build-all
	$(CTEST) --test-dir build -L tools

sets: build-all
	test/sets.sh build $(JOBS)

asan:
	cmake --preset asan $(SANITIZED)
	cmake --build --preset asan --parallel $(JOBS)
	$(CTEST) --test-dir build-asan

tsan:
	$(if $(CLANG),,@echo "no clang with libomp here: the thread sanitizer of gcc does not understand OpenMP" && exit 1)
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS) --target threads
	$(CTEST) --test-dir build-tsan -L threads

# tests of the sources run no code of ours; a kill may come while a program writes its counts; transcripts may differ,
# since the last digits of their numbers are those of an optimised program
coverage:
	cmake --preset coverage
	cmake --build --preset coverage --parallel $(JOBS)
	find build-coverage -name '*.gcda' -delete
	$(CTEST) --test-dir build-coverage --label-exclude 'project|tools|counts' \
		--exclude-regex 'check_(kills|sweep_kills)'
	-$(CTEST) --test-dir build-coverage --tests-regex check_transcripts
	python3 test/coverage/coverage.py build-coverage --missed build-coverage/missed.txt

reliability: configure
	cmake --build build --parallel $(JOBS)
	python3 test/reliability/report.py

bench: all
	cmake --build build --parallel $(JOBS) --target bench-peers
	ROBOTS="$(ROBOTS)" bench/peers/run.sh build
	cmake --build build --parallel $(JOBS) --target bench
	if [ -x build/bench/bench_frozen ]; then bench/frozen.sh build; fi
	for model in examples/*.yaml; do build/limber bench $$model || exit 1; done

counts: configure
	cmake --build build --parallel $(JOBS) --target counts-docs

gallery: all
	docs/gallery/make.sh build/limber

validation: configure
	cmake --build build --parallel $(JOBS) --target validation-docs

wheel:
	cmake -S . -B build-wheel -DLB_WITH_MUMPS=OFF -DLB_BUILD_TESTS=OFF -DLB_BUILD_VIEW=OFF $(CMAKE_FLAGS)
	cmake --build build-wheel --parallel $(JOBS) --target limber-python
	python3 python/make_wheel.py build-wheel/liblimber-python.so build/wheel

package:
	cmake -S . -B build-package -DLB_BUILD_SHARED=ON -DLB_BUILD_TESTS=OFF $(CMAKE_FLAGS)
	cmake --build build-package --parallel $(JOBS)
	cpack --config build-package/CPackConfig.cmake -B build/package

deb:
	packaging/deb.sh build/deb

demo: all
	build/limber demo

docs:
	@if [ -x build/limber ]; then docs/gallery/make.sh build/limber --live build/docs/gallery/live; fi
	sphinx-build -W --keep-going -b html docs build/docs
	@echo "docs: open build/docs/index.html"

# pictures of the manual and of the viewer, for people to look at
screens: all docs
	sh test/view/browser.sh build/limber build/screens screens.mjs build/docs docs/gallery/images

format:
	clang-format-14 -i $$($(C_FILES))

fuzz:
	cmake --preset fuzz -DLB_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset fuzz --target fuzz

clean:
	rm -rf build build-asan build-coverage build-tsan build-fuzz \
		build-package build-wheel

help:
	@echo "make         build/limber"
	@echo "make check   the quick tests, while you work"
	@echo "make test    all tests of the code"
	@echo "make tools   the manual, installed packages, a browser, emulated ARM boards: tests of whole tools"
	@echo "make sets    the tests of numbers, with each other instruction set that the processor has"
	@echo "make asan    all tests under the address and undefined-behaviour sanitizers, compiled by clang if it is here"
	@echo "make tsan    the tests with threads under the thread sanitizer (needs clang and libomp)"
	@echo "make demo    a first look"
	@echo "make bench   times beside other engines, on robots in the folder ROBOTS or our own; then"
	@echo "             time of each algorithm, and how it grows with the number of bodies"
	@echo "make counts  operations of each algorithm, into docs/theory/cost.md"
	@echo "make validation"
	@echo "             published problems run again, into docs/validation"
	@echo "make gallery"
	@echo "             a page and a picture of every example, into docs/gallery"
	@echo "make docs    the manual with the API reference, build/docs/index.html (needs sphinx,"
	@echo "             myst-parser, doxygen and breathe); after make, with an interactive page of every"
	@echo "             run in the gallery"
	@echo "make screens"
	@echo "             pictures of the manual and the viewer in a browser, into docs/gallery/images"
	@echo "make format  lay out the sources (needs clang-format 14)"
	@echo "make coverage"
	@echo "             which lines and branches the tests run; build-coverage/missed.txt lists the others"
	@echo "make reliability"
	@echo "             long tests with faults, kills and random input, into docs/guide/reliability.md"
	@echo "make wheel   the Python module with all that it needs, build/wheel/*.whl (needs patchelf)"
	@echo "make package"
	@echo "             an archive to unpack anywhere, build/package/*.tar.gz"
	@echo "make deb     Debian packages, checked by lintian, build/deb/*.deb (./bootstrap deb installs what it needs)"
	@echo "make fuzz    fuzz each reader for FUZZ_SECONDS, 60 (needs clang)"
	@echo "make clean   remove what the above built"
