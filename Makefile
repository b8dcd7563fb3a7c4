# Two commands set up all by themselves: `make conformance` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What builds a source package is in no lock. For musl (Alpine), some packages have no wheel.
WHEELS = $(shell $(PYTHON) -c 'import sysconfig; print("" if "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE")) else "--only-binary :all:")')
TARGET ?=
ARGS ?=
FILE ?=
FULL ?=
export FULL
TO ?=

.DEFAULT_GOAL := help
.PHONY: help setup conformance test check generate format validate convert gateway proof survive field guides mutants coverage bench site site-build screenshots dist audit workflows clean lock

help: ## list all targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; say which with PYTHON=…"; exit 1; }
	@echo "Setting up $(VENV) …"
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@# uv, itself from the lock, installs the rest in seconds; where it finds no registry, pip does.
	@sed -n '/^uv==/,/# via/p' requirements.lock > $(VENV)/uv.lock
	@$(PIP) $(WHEELS) --require-hashes --no-deps -r $(VENV)/uv.lock
	@# Playwright is not made for musl (Alpine): without it, the tests in a browser are skipped.
	@cp requirements.lock $(VENV)/all.lock
	@$(PYTHON) -c 'import sys, sysconfig; sys.exit("musl" not in str(sysconfig.get_config_var("HOST_GNU_TYPE")))' && \
		sed -E '/^(pytest-)?playwright==/,/# via/d' requirements.lock > $(VENV)/all.lock || true
	@$(BIN)/uv pip install --quiet --python $(BIN)/python $(WHEELS) --require-hashes -r $(VENV)/all.lock \
		2> $(VENV)/uv.log || $(PIP) $(WHEELS) --require-hashes -r $(VENV)/all.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

setup: $(READY) ## make the virtual environment from the hashed lock

conformance: $(READY) ## check a server: TARGET=http://… or 'stdio:COMMAND' (none: the reference server)
	@$(BIN)/python -m pytest conformance $(if $(TARGET),--target '$(TARGET)') $(ARGS)

test: $(READY) ## run the project's own tests (FULL=1: the slow ones too, and all that they generate)
	@$(BIN)/python -m pytest tests -n auto --dist worksteal --durations 10 \
		$(if $(filter 1,$(FULL)),,-m 'not slow') $(ARGS)

check: $(READY) ## lint, types, and whether what is generated is up to date
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo --no-cache
	@$(BIN)/python -m scripts.generate --check
	@$(BIN)/python -m scripts.check_translations
	@$(BIN)/python -m scripts.check_wording

generate: $(READY) ## make schemas, clauses, examples and vocabularies from schema/source
	@$(BIN)/python -m scripts.generate

format: $(READY) ## put the code into its one form
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

validate: $(READY) ## validate documents: FILE='a.json folder/' (and ARGS='--format sarif' …)
	@$(BIN)/agent-formats validate $(ARGS) $(FILE)

convert: $(READY) ## convert a document: FILE=a.json TO=ardf
	@$(BIN)/agent-formats convert $(ARGS) $(FILE) --to $(TO)

gateway: $(READY) ## check the reference gateway from both ends, in both profiles (ARGS='--fault NAME': a faulty one)
	@$(BIN)/python -m scripts.gateway $(ARGS)

proof: $(READY) ## prove the kit: every planted fault is caught, and nothing else fails (FULL=1: on every binding)
	@$(BIN)/python -m scripts.proof $(if $(filter 1,$(FULL)),--full) $(ARGS)

survive: $(READY) ## hold the kit against hostile servers: time, memory, an inert report
	@$(BIN)/python -m scripts.survive $(ARGS)

field: $(READY) ## check the corpus of servers that others wrote, in a box (ARGS='--only NAME')
	@$(BIN)/python -m scripts.field $(ARGS)

guides: $(READY) ## run the guides' servers step by step, and write what the kit says of each
	@$(BIN)/python -m scripts.guides $(ARGS)

mutants: $(READY) ## ask whether the tests notice small changes in the oracles and case generators
	@$(BIN)/python -m scripts.mutants $(ARGS)

coverage: $(READY) ## ask which branches of the kit and the formats the tests reach
	@$(BIN)/python -m scripts.covered $(ARGS)

bench: $(READY) ## measure the kit's speed, as ratios (ARGS=--peers: beside other kits, which are installed)
	@$(BIN)/python -m scripts.bench $(ARGS)

site: $(READY) ## serve the site with live reload on http://127.0.0.1:8080
	@$(BIN)/python -m scripts.build_site --serve $(ARGS)

site-build: $(READY) ## build the site in three languages, strictly, into build/site
	@$(BIN)/python -m scripts.build_site $(ARGS)

screenshots: site-build ## take pictures of the site into build/screenshots, to look at
	@$(BIN)/python -m scripts.screenshots $(ARGS)

dist: $(READY) ## build the wheel, the sdist and their bill of materials into build/dist
	@rm -rf build/dist
	@# The packages would have these in them, which nobody looked at.
	@more=$$(git ls-files --others --exclude-standard 2> /dev/null); [ -z "$$more" ] || \
		{ printf 'The packages would contain files that are in no commit:\n%s\n' "$$more"; exit 1; }
	@$(BIN)/uv build --quiet --offline --no-build-isolation --python $(BIN)/python --out-dir build/dist
	@$(BIN)/python -m scripts.sbom build/dist/sbom.cdx.json
	@ls build/dist/agent_formats-*

audit: $(READY) ## look for known weaknesses in the pinned packages
	@for lock in requirements.lock docs/node.lock docs/zensical.lock; do \
		$(BIN)/pip-audit --requirement $$lock --require-hashes --disable-pip --progress-spinner off $(ARGS) || exit 1; \
	done

workflows: $(READY) ## check the workflows of .github, and the Containerfile
	@$(BIN)/actionlint
	@$(BIN)/zizmor --offline --quiet .github
	@$(BIN)/hadolint Containerfile

lock: $(READY) ## write the locks of the packages anew from pyproject.toml
	@$(BIN)/uv pip compile --quiet --generate-hashes --universal --all-extras --python-version 3.11 \
		--no-emit-index-url pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --generate-hashes --universal --group node --python-version 3.11 \
		--no-emit-index-url -o docs/node.lock
	@$(BIN)/uv pip compile --quiet --generate-hashes --universal --group zensical --python-version 3.14 \
		--no-emit-index-url -o docs/zensical.lock
	@# What the product needs at run time, and what builds it: the action and the container install no more.
	@echo hatchling | $(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
		--no-emit-index-url --constraint requirements.lock pyproject.toml - -o runtime.lock

clean: ## remove the virtual environment and what was made
	@rm -rf $(VENV) conformance-report .cache build
