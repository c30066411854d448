# The commands of this repository. Needs Python 3.11 or newer and make. Environments are made once, in $(VENVS);
# they are mended when pyproject.toml changes. What a command does is in the file that it calls, not here.

PYTHON ?= python3
ADAPTER ?= litellm
ADAPTERS ?=
ARGS ?=
VENVS ?= .venv

# A factory of your own, `pkg.module:factory`, has no extra and no colon in the name of its environment.
EXTRA := $(if $(findstring :,$(ADAPTER)),,$(ADAPTER))
TRANSPORT_EXTRA := $(if $(findstring vcr,$(ARGS)),vcr)
COMMA := ,
RUN := $(VENVS)/run-$(subst :,-,$(ADAPTER))
RUN_STAMP := $(RUN)/installed$(addprefix -,$(TRANSPORT_EXTRA))
RUN_EXTRAS := $(subst $(eval ) ,$(COMMA),$(strip $(EXTRA) $(TRANSPORT_EXTRA)))

DEV := $(VENVS)/dev
DEV_STAMP := $(DEV)/installed
BIN := $(DEV)/bin

# llama-cpp-python is compiled, once, for minutes; llama.cpp's own server comes ready in xllamacpp.
ENGINE ?= llama-cpp-python
ENGINE_VENV := $(VENVS)/engine-$(ENGINE)

# A server to compare ours with. Without npm its figures are told as not measured.
AIMOCK := $(VENVS)/aimock

.DELETE_ON_ERROR:
.PHONY: help run test test-browser test-all matrix lint format scenario snapshots corpus record catalogue mutants drift evidence bench engine clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The strict filter of our own tests is not for an adapter under judgement: it would turn its warnings into errors.
run: $(RUN_STAMP)  ## judge a shipped adapter: [ADAPTER=litellm] [ARGS="--apis gemini"]
	$(RUN)/bin/python -m pytest --pyargs conformance -o filterwarnings=default --adapter $(ADAPTER) $(ARGS)

test: $(DEV_STAMP)  ## the fast tests of the suite itself: [ARGS="-k wire"]
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" $(ARGS)

# The page in a real browser: Chromium and its driver are the system's.
test-browser: $(DEV_STAMP)  ## the report page in a headless Chromium: [ARGS="-k phone"]
	$(BIN)/python -m pip install -q --group browser
	$(BIN)/python -m pytest -o addopts="--strict-markers --strict-config -ra" tests/browser $(ARGS)

matrix: $(DEV_STAMP)  ## judge adapters side by side, each in its own environment: [ADAPTERS="litellm any-llm"]
	$(BIN)/python -m tools.matrix --out report --venvs $(VENVS)/matrix $(ADAPTERS) $(ARGS)

test-all: $(DEV_STAMP)  ## all tests, those that build wheels and environments too
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

lint: $(DEV_STAMP)  ## ruff, mypy, the direction of imports, no credential in any file
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.secrets

format: $(DEV_STAMP)  ## put the code into ruff's form
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

snapshots: $(DEV_STAMP)  ## decode every cassette again and write the snapshots: review the diff
	$(BIN)/python -m pytest tests/corpus -k test_snapshot --snapshot-update --snapshot-no-cleanup $(ARGS)

scenario: $(DEV_STAMP)  ## everything that a new or changed definition needs: ID=gemini/your-slug
	@test -n "$(ID)" || { echo 'say which: make scenario ID=gemini/your-slug' >&2; exit 2; }
	$(BIN)/python -m tools.author "$(ID)"
	$(BIN)/python -m pytest -q tests/corpus/test_corpus.py -k "$(ID)" --snapshot-update --snapshot-no-cleanup
	$(BIN)/python -m conformance catalogue > docs/catalogue.md.new && mv docs/catalogue.md.new docs/catalogue.md
	$(BIN)/python -m pytest -q --pyargs conformance --adapter reference -k "$(ID)" --tb=short
	$(BIN)/python -m conformance explain "$(ID)"

corpus: $(DEV_STAMP)  ## write the documented cassettes from their scenarios: [ARGS="gemini/stop-fired"]
	$(BIN)/python -m tools.author $(ARGS)

record: $(DEV_STAMP)  ## record from the providers, with a key: [ARGS="--dry-run gemini/stop-fired"]
	@$(BIN)/python -m tools.record $(ARGS)

catalogue: $(DEV_STAMP)  ## write docs/catalogue.md from the scenarios
	$(BIN)/python -m conformance catalogue > docs/catalogue.md.new && mv docs/catalogue.md.new docs/catalogue.md

mutants: $(DEV_STAMP)  ## judge every faulty adapter: does each check fail what it should
	$(BIN)/python -m tests.mutants $(ARGS)

drift: $(DEV_STAMP)  ## what the newest SDKs of the vendors say that no table knows: [ARGS="openai"]; downloads them
	@$(BIN)/python -m tools.drift sdk $(ARGS)

evidence: $(DEV_STAMP)  ## hold codecs and published cassettes against the pinned recordings; downloads them once
	$(BIN)/python -m tools.published evidence
	$(BIN)/python -m tools.published inventory --check
	$(BIN)/python -m tools.published check

bench: $(DEV_STAMP) $(AIMOCK)  ## measure the targets of docs/performance.md: [ARGS="sse server"]
	AIMOCK=$(AIMOCK)/node_modules/.bin/llmock $(BIN)/python -m benchmarks $(ARGS)

engine: $(ENGINE_VENV)/installed  ## judge a real engine on random weights: [ENGINE=xllamacpp] [ARGS="-k stop"]
	$(ENGINE_VENV)/bin/python -m tools.engine judge --engine $(ENGINE) $(ARGS)

clean:  ## remove environments and caches
	rm -rf $(VENVS) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist build

# pip older than 25.1, which comes with Python 3.11, does not know dependency groups.
$(DEV_STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(DEV)
	$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q --group dev -e ".[all]"
	touch $@

$(AIMOCK):
	mkdir -p $@
	npm install --silent --no-audit --no-fund --prefix $@ @copilotkit/aimock@1.43.0 || echo 'no aimock' >&2

$(ENGINE_VENV)/installed: pyproject.toml
	@grep -q '^engine-$(ENGINE) = ' pyproject.toml || { echo 'no engine is called "$(ENGINE)"' >&2; exit 2; }
	test -x $(ENGINE_VENV)/bin/python || $(PYTHON) -m venv $(ENGINE_VENV)
	CMAKE_ARGS="-DLLAVA_BUILD=OFF $(CMAKE_ARGS)" $(ENGINE_VENV)/bin/python -m pip install -q -e ".[engine-$(ENGINE)]"
	touch $@

$(RUN_STAMP): pyproject.toml
	@test -z "$(EXTRA)" || grep -q '^$(EXTRA) = ' pyproject.toml || \
		{ echo 'no shipped adapter is called "$(EXTRA)"; the extras in pyproject.toml name them' >&2; exit 2; }
	test -x $(RUN)/bin/python || $(PYTHON) -m venv $(RUN)
	$(RUN)/bin/python -m pip install -q -e ".$(if $(RUN_EXTRAS),[$(RUN_EXTRAS)])"
	touch $@
