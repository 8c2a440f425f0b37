# make run [IMAGE=slide.svs]   the main job on a generated slide, or on your image: nuclei, table and pictures in out/
# make test                    the tests
# make test-long               every case: the same with a hundred times the random images (three times those of the Python
#                              package), all cases, images of 4K and 8K, and code for older processors
# make                         builds the tool, build/bin/macareu, with its converter and benchmarks
# make python                  builds the Python package: build/python
# make test-peers              the tests of scikit-image and SciPy, run against ours
# make test-itk ITK_DIR=...    the ITK module and its tests, with ITK as built or installed there
# make bench                   ours beside scikit-image, SciPy and OpenCV
# make asan, make tsan         the tests under sanitizers
# make check                   clang-format and clang-tidy; make format mends the first
# make docs                    the generated pages and pictures of docs/ anew
# make site                    docs/ as static pages with search: build/site
BUILD ?= build
WHOLE = -DMACAREU_SERIAL=ON -DMACAREU_BASELINE=ON -DMACAREU_OPERATORS=all
IMAGE ?=
MPP ?=
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory

all: setup-tool
	@cmake -S . -B $(BUILD) $(WHOLE) -DMACAREU_TESTS=OFF $(QUIETLY)
	@cmake --build $(BUILD) --parallel $(JOBS) --target macareu_tool macareu_view macareu_bench macareu_convert

# A first build for this alone leaves out the serial engine, code for other processors and, unless an image is given,
# code that finding nuclei does without. Packages that the library does not need are installed
# meanwhile; where libvips cannot be, the run is that of grey images.
FIRST = $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DMACAREU_SERIAL=OFF -DMACAREU_BASELINE=OFF -DMACAREU_OPERATORS=slides) \
	$(if $(IMAGE),-DMACAREU_OPERATORS=all)
run: setup-compiler
	@scripts/setup.sh run & cmake -S . -B $(BUILD) -DMACAREU_TESTS=OFF $(QUIETLY) $(FIRST) && \
	  cmake --build $(BUILD) --parallel $(JOBS) --target macareu; built=$$?; wait; exit $$built
	@pkg-config --exists vips || all=-DMACAREU_OPERATORS=all; cmake -S . -B $(BUILD) $$all $(QUIETLY)
	@cmake --build $(BUILD) --parallel $(JOBS) --target macareu_tool
	@scripts/run.sh $(BUILD)/bin/macareu "$(IMAGE)" "$(MPP)"

# Without code for older processors, as in the build of `make run`, but where an earlier build has it.
TESTED = -DMACAREU_SERIAL=ON -DMACAREU_OPERATORS=all $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DMACAREU_BASELINE=OFF)
test: setup-test-build
	@scripts/setup.sh test & cmake -S . -B $(BUILD) $(TESTED) -DMACAREU_TESTS=ON $(QUIETLY) && \
	  cmake --build $(BUILD) --parallel $(JOBS); built=$$?; wait; exit $$built
	@scripts/run_tests.sh $(BUILD) --parallel $(JOBS)

test-long: export MACAREU_TEST_SHARE = 100
test-long: export MACAREU_LARGE = 1
test-long: TESTED = $(WHOLE)
test-long: test

python: setup-python
	@cmake -S . -B $(BUILD) $(WHOLE) -DMACAREU_TESTS=OFF $(QUIETLY) -DMACAREU_PYTHON=ON
	@cmake --build $(BUILD) --parallel $(JOBS) --target macareu_package

test-peers: setup-test
	@cmake -S . -B $(BUILD) $(WHOLE) $(QUIETLY) -DMACAREU_PYTHON=ON
	@cmake --build $(BUILD) --parallel $(JOBS) --target macareu_package
	@PYTHONPATH=$(BUILD)/python $(PYTHON) tests/python/run_peers_tests.py

test-itk: setup-test
	@cmake -S . -B $(BUILD) $(WHOLE) -DMACAREU_TESTS=ON $(QUIETLY) -DMACAREU_ITK=ON $(if $(ITK_DIR),-DITK_DIR=$(ITK_DIR))
	@cmake --build $(BUILD) --parallel $(JOBS) --target itk_module_tests
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -L itk

# Side by side with scikit-image, SciPy and OpenCV, from the system's packages.
bench: all python setup-bench
	@for suite in reconstruct distance label patterns canny; do \
	  $(PYTHON) bench/$${suite}_peers.py --tool $(BUILD)/bin/macareu --json $(BUILD)/$$suite.json || exit; done
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/python_peers.py --json $(BUILD)/python.json
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/python_calls.py --tool $(BUILD)/bin/macareu --json $(BUILD)/python-calls.json

docs: all python
	@cmake --build $(BUILD) --target write_catalogue
	@$(BUILD)/bin/write_catalogue operators docs/reference/operators
	@PYTHON=$(PYTHON) PYTHONPATH=$(BUILD)/python scripts/pictures.sh $(BUILD)/bin/macareu
	@$(PYTHON) scripts/layers.py
	@$(PYTHON) bench/acceptance.py

# mkdocs fails for broken links to pages, the test for those to headings and files besides.
site: setup-site
	@$(PYTHON) tests/docs/test_links.py
	@mkdocs build --strict --quiet --site-dir $(abspath $(BUILD))/site
	@echo $(BUILD)/site/index.html

asan tsan: setup-check
	@cmake --preset $@ $(QUIETLY) -DMACAREU_PYTHON=OFF -DMACAREU_ITK=OFF
	@cmake --build build-$@ --parallel $(JOBS)
	@scripts/sanitized_tests.sh build-$@

format: setup-check
	@git ls-files '*.hpp' '*.cpp' '*.cuh' '*.cu' | xargs clang-format -i

check: setup-check
	@git ls-files '*.hpp' '*.cpp' '*.cuh' '*.cu' | xargs clang-format --dry-run --Werror
	@scripts/tidy.sh $(BUILD)

setup-%:
	@scripts/setup.sh $*

clean:
	rm -rf $(BUILD) build-asan build-tsan out

# The first Python that has the peers, or else NumPy; the system's, which gets the peers while tests are compiled, before others.
PYTHON = $(or $(shell for p in python3 /usr/bin/python3; do $$p -c "import skimage" 2>/dev/null && echo $$p && exit; done; \
	for p in /usr/bin/python3 python3; do $$p -c "import numpy" 2>/dev/null && echo $$p && exit; done),python3)

# A new compiler's new warning must not stop a user.
QUIETLY = -DMACAREU_WERROR=$(if $(CI),ON,OFF) -DMACAREU_PYTHON=AUTO -DMACAREU_ITK=AUTO \
	-DPython3_EXECUTABLE=$(shell command -v $(PYTHON)) -Wno-dev >/dev/null

.PHONY: all run python test test-long test-peers test-itk bench docs site asan tsan format check clean
