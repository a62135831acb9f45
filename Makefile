# Two commands: `make demo` and `make test`. Both make .venv first, and both are safe to repeat.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS := learn,plots,tensorboard,client,serve,postgres,oidc,otel,ray,docs,dev
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

.PHONY: demo test check docs format web bench proof dist lock clean help
.DEFAULT_GOAL := help

help: ## say what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

# Each stamp is as new as the files that say what to install, so a second run installs nothing. The demo needs a part of
# what the tests need, in the same .venv: whichever comes first, the other adds what is missing. Python compiles a module
# when it is first imported; to compile all that is installed takes about as long as to install it, for little that is used.
# So demo and test may write bytecode, whatever the shell says.
.venv/bin/pip:
	$(PYTHON) -c 'import sys; sys.exit("graphldp needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml constraints.txt | .venv/bin/pip
	$(INSTALL) --editable '.[learn]'
	touch $@

.venv/installed: pyproject.toml constraints.txt | .venv/bin/pip
	$(INSTALL) --editable '.[$(EXTRAS)]'
	touch .venv/demo $@

demo: .venv/demo ## train on noisy lists of the embedded dataset, end with a table and a page
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/graphldp demo

# Three processes on two cores: a fifth of the time a test waits for a server, a browser or a disk. Files go to them in the
# order of the tree, which ends with quick ones. pytest-xdist's own order ends with those of the fewest tests, which are the
# longest, and all processes wait for one. Tests start hundreds of processes, which would compile the package anew where no
# bytecode may be written.
test: .venv/installed ## run the tests (what needs PostgreSQL or Chromium skips, and says so, where they are missing)
	env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder -m 'not long'

check: .venv/installed ## ruff, mypy strict, and import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

tools/site/node_modules/installed: tools/site/package-lock.json
	cd tools/site && npm ci
	cp $< $@

docs: .venv/installed tools/site/node_modules/installed ## build the site into build/site and run its notebooks (needs Node); a warning is an error
	$(BIN)/python -m sphinx -q -E -j auto --fail-on-warning --keep-going -b html docs build/site
	@echo 'open build/site/index.html'

format: .venv/installed ## let ruff put the code in order
	$(BIN)/ruff check --fix --quiet
	$(BIN)/ruff format

clients/web/node_modules/installed: clients/web/package-lock.json
	cd clients/web && npm ci
	cp $< $@

web: clients/web/node_modules/installed ## build the page for members anew (needs Node 20.19): src/graphldp/collector/web
	cd clients/web && npm run build

bench: .venv/installed ## measure speed and write benchmarks/results
	for name in randomize dense training recipe threads; do $(BIN)/python -m benchmarks.speed $$name; done

proof: .venv/installed ## audits, mutants, and the live system under load and faults, reduced; PROOF=--full for all of it
	$(BIN)/graphldp audit client
	$(BIN)/graphldp audit
	$(BIN)/python -m benchmarks.proof.mutants $(PROOF)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m long -p benchmarks.proof.share --numprocesses 2 --dist loadfile
	$(BIN)/python -m pytest -q tests/walks/test_crash.py
	$(BIN)/graphldp audit wire --draws $(if $(findstring full,$(PROOF)),1000000,50000)
	$(BIN)/python -m benchmarks.proof $(PROOF)

dist: .venv/installed clients/web/node_modules/installed ## build wheel, source archive and npm package in dist/, and install each in a clean folder
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/twine check --strict dist/*
	cd clients/web && npm pack --silent --pack-destination ../../dist
	$(BIN)/python -m pytest -q tests/project/test_release.py tests/clients/web/test_package.py

# One file for each thing that is deployed: a client, a collector, and a collector that trains on the same machine.
# --universal: for every platform; the registry's hashes of every file of a version, so that any of them installs.
COMPILE := $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--constraint constraints.txt --no-config --upgrade --custom-compile-command 'make lock'

lock: .venv/installed ## pin what is deployed, with all it depends on, by version and hash: requirements/*.txt
	$(COMPILE) --extra client --output-file requirements/client.txt
	$(COMPILE) --extra serve --extra postgres --output-file requirements/collector.txt
	$(COMPILE) --extra serve --extra postgres --extra learn --output-file requirements/training.txt

clean: ## remove what the commands above made
	rm -rf .venv build demo dist .pytest_cache .mypy_cache .ruff_cache clients/web/node_modules clients/web/build tools/site/node_modules
