# `make demo` and `make test` only need Swift: they install missing packages of the distribution, and say at their start
# what they do and how long it takes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

INK := .build/release/ink
SWIFT_BUILD := swift build -c release --product ink
# Tests run on optimised code, as shipped. What else `swift test` would add to the flags is among those of Package.swift.
SWIFT_TEST := swift test -c release --disable-xctest --disable-testable-imports
FORMATTED := Sources Tests Fuzz/Package.swift Fuzz/Sources Benchmarks/Package.swift Benchmarks/Sources Package.swift

.PHONY: help setup setup-build film check-film about-demo about-test build install uninstall docs demo pictures gallery dashboard-pictures examples test simulate fuzz \
	check-deployment deb test-deb test-image test-slurm test-systemd test-interop bench bench-peers bench-compare \
	bench-baseline lint format clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

setup: ## Install the libraries and the tools of the tests that are missing
	@Scripts/setup.sh

setup-build: ## Install the libraries that are missing
	@Scripts/setup.sh build

build: setup-build ## Build the release binary
	$(SWIFT_BUILD)

# Compiled here and not by Swift's package manager, which would want libav for every build and test of ink.
FILM := .build/release/ink-film
FILM_LIBRARIES := libavfilter libavformat libavcodec libavutil libswscale libswresample libseccomp
FILM_SOURCES := $(wildcard Sources/ink-film/*.c Sources/ink-film/*.h)
FILM_FLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -ffp-contract=off -Wall -Wextra -Werror

film: ## Build ink-film, which marks films (installs libav's development files)
	@Scripts/setup.sh film
	@$(MAKE) --no-print-directory $(FILM)

$(FILM): $(FILM_SOURCES)
	@mkdir -p $(@D)
	$(CC) $(FILM_FLAGS) $$(pkg-config --cflags $(FILM_LIBRARIES)) $(filter %.c,$^) -o $@ \
		$$(pkg-config --libs $(FILM_LIBRARIES)) -lm -lpthread

DATA ?= data/films
FILM_SECONDS ?= 60
check-film: setup film ## Mark the clips below DATA with ink-film alone, draw films and GIFs, and fuzz for FILM_SECONDS
	INK_FILM=$(FILM) $(PYTHON) -B Tests/film/check_raster.py
	INK_FILM=$(FILM) $(PYTHON) -B Tests/film/check_all.py $(DATA) --codecs h264,hevc,av1
	INK_FILM=$(FILM) $(PYTHON) -B Tests/film/fuzz.py $(DATA)/clips $(FILM_SECONDS)

PREFIX ?= /usr/local
DESTDIR ?=
install: ## Install ink, man pages and completions into PREFIX (default /usr/local), below DESTDIR
	@test -x $(INK) || $(MAKE) build
	Scripts/install.sh $(INK) "$(DESTDIR)$(PREFIX)"

uninstall: ## Remove what install has put there
	Scripts/install.sh --uninstall "$(DESTDIR)$(PREFIX)"

docs: setup ## Build the documentation of InkEngine and InkDocuments with DocC, into .build/docs
	Scripts/docs.sh

PYTHON ?= python3
PICTURE := --effort small --if-exists overwrite -o docs/images/
pictures: build gallery ## Export the pictures in the documents
	$(INK) export examples/hills.ink --size 760x760 --name '{name}.png' $(PICTURE)
	$(INK) export examples/brushes.ink --size 1240x1240 --name '{name}.png' $(PICTURE)
	$(INK) export examples/brush-sheet.ink --each-viewport --size 2x --name '{viewport}.webp' --lossless $(PICTURE)brushes
	$(INK) export examples/cat.inktemplate --fill suggested --size 1x --name '{name}.png' $(PICTURE)
	$(INK) pack examples/creatures/meadow.inkpack -o out/creatures --contact-sheet docs/images/meadow.jpg \
		--contact-columns 6 --contact-size 200
	$(INK) export examples/archipelago.ink --each-viewport --size 480x480 --name '{name}-{n}.png' $(PICTURE)
	$(INK) export $(addprefix examples/,hey.ink night-sail.ink owl.ink pinboard.ink rose.ink street.ink) --size 560x560 \
		--name '{name}.png' $(PICTURE)

GALLERY := $(addprefix examples/gallery/,street.psd night-sail.ora dusk.kra harbour.aseprite valentine.excalidraw \
	garden.tldr note.xopp hey.rnote word.inkml rose.json pen.csv owls.unipen sprig.svc painting.dat sunset.svg flower.jpg \
	rowan-tree.bww)
gallery: build ## Export the pictures of docs/gallery.md, and those of the brush presets
	rm -rf out/gallery && mkdir -p out/gallery
	$(INK) import examples/sources/quickdraw/flower.ndjson --brush contour --spacing 24 --line-width 8 --color '#8a3f5c' \
		-o out/gallery/quickdraw
	cp "$$(ls out/gallery/quickdraw/*.ink | sed -n 11p)" out/gallery/quickdraw.ink
	$(INK) export $(GALLERY) out/gallery/quickdraw.ink --size 400x400 --name '{name}.webp' --effort small \
		--if-exists overwrite -o docs/images/gallery --contact-sheet docs/images/gallery.jpg --contact-columns 5 \
		--contact-size 200
	$(INK) preset preview -o docs/images/presets --size 480x180 --if-exists overwrite

dashboard-pictures: setup build ## Take the pictures of docs/dashboard.md from a farm here (needs Chromium and playwright for PYTHON)
	INK_BINARY=$(INK) $(PYTHON) -B Scripts/dashboard_pictures.py

examples: setup build ## Generate the example projects and the documents of the gallery (needs python3)
	python3 Scripts/make_examples.py
	python3 Scripts/make_gallery.py
	$(INK) export examples/street.ink -o examples/gallery/street.psd --size 260x260 --no-metadata
	$(INK) export examples/night-sail.ink -o examples/gallery/night-sail.ora --size 260x260 --effort small --no-metadata

about-demo:
	@echo "demo: installs missing libraries, builds ink (about 6 minutes on 2 cores; later only what has changed),"
	@echo "demo: and exports the examples into out/demo (a few seconds)"
	@Scripts/setup.sh --list build

demo: about-demo build ## Export the examples at 2K and 4K, and Quick, Draw! drawings, into out/demo
	$(INK) export examples --fill suggested --size 2k,4k -o out/demo
	$(INK) import examples/sources/quickdraw/*.ndjson --brush contourLines --spacing 7 --line-width 3 \
		-o out/demo/quickdraw --if-exists overwrite
	$(INK) export out/demo/quickdraw --size 1080p
	@echo
	@echo "The pictures are in $(CURDIR)/out/demo"

about-test:
	@echo "test: installs missing libraries and test tools, builds ink and its tests, and runs them:"
	@echo "test: about 23 minutes on 2 cores, 17 after make demo"
	@Scripts/setup.sh --list

test: about-test setup ## Run all tests
	$(SWIFT_TEST)

SEEDS ?= 100000
SIMULATE := $(SWIFT_TEST) --filter nothingIsLostInAnyWeather
simulate: setup ## Simulate SEEDS farms (default 100000) from seed FIRST, or print the history of one: SEED=n [LINES=n]
	SEEDS=$(SEEDS) FIRST=$(FIRST) SEED=$(SEED) LINES=$(LINES) $(SIMULATE)

fuzz: setup ## Fuzz the readers for FUZZ_SECONDS each (default 30)
	Scripts/fuzz.sh

check-deployment: setup build ## Check image, compose file, units and manifests with their tools
	Scripts/check-deployment.sh

deb: build ## Make a Debian package in .build/deb, for this distribution and processor
	@Scripts/deb.sh $(INK)

test-deb: setup build ## Install the Debian package in a clean root, use it and remove it (needs root, Debian or Ubuntu)
	Scripts/test-deb.sh

test-systemd: setup build ## Run the units under a systemd in a container (needs root, Debian or Ubuntu)
	Scripts/test-systemd.sh

test-slurm: setup build ## Run the Slurm scripts under a Slurm of this machine's distribution (needs apt)
	python3 -B -m unittest discover -v -s Tests/deployment -p real_slurm.py

test-image: setup build ## Build the image and run a farm with it (needs root, Debian or Ubuntu)
	Scripts/test-image.sh

test-interop: setup build ## Test with programs of others: PyPI, deployment tools; IMAGE=1 a container, PEERS=1 Cairo and Skia
	Scripts/test-interop.sh

BENCHMARKS := Benchmarks
bench: setup build ## Measure whole exports and the parts of the engine
	$(BENCHMARKS)/measure.py
	$(BENCHMARKS)/kernels.py

bench-peers: setup ## Measure the same work with Cairo, Skia, pixman, libvips and libpng (installs them)
	$(BENCHMARKS)/peers.py

BASE ?= main
bench-compare: setup ## Check whether the working tree is slower than BASE (default main)
	$(BENCHMARKS)/compare.py --base $(BASE)

BASELINE := $(BENCHMARKS)/baselines/$(shell uname -m).json
bench-baseline: setup ## Check whether the working tree needs more instructions than the stored baseline
	$(BENCHMARKS)/compare.py --baseline $(BASELINE)

lint: ## Check the formatting and the kernels' headers, and self-test bench-compare and the simulated farm
	swift format lint --strict -r $(FORMATTED)
	Scripts/check-kernels.sh
	$(BENCHMARKS)/compare.py --self-test
	$(BENCHMARKS)/simulate.py --self-test

format: ## Format the sources
	swift format format -i -r $(FORMATTED)

clean: ## Remove what was built
	rm -rf .build Fuzz/.build Benchmarks/.build out
