# make demo, make test: all that a fresh machine needs (python3 with venv, pip, make).
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
STAMP := .venv/installed-for-developers
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test thorough axe lint bench docs fuzz mutants compare clean

demo: $(INSTALLED)
	$(BIN)/softcount demo --pages .cache/demo

# What a usual run of minutes shows; then what shows the same again with more cases, and kernels without the compiler.
test: $(STAMP) axe
	$(BIN)/pytest -n auto --dist worksteal

thorough: $(STAMP) axe
	$(BIN)/pytest -n auto --dist worksteal --thorough only
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n auto --dist worksteal --thorough too -m kernels $$(grep -l mark.kernels tests/test_*.py)

# axe-core, by which the pages' tests ask whether everybody can use them; without npm or a network they skip that.
axe:
	@test -e .cache/axe/node_modules/axe-core || npm install --silent --no-audit --no-fund --prefix .cache/axe \
	  axe-core@4 >/dev/null 2>&1 || echo "axe-core does not install here: accessibility is not tested"

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell README.md CONTRIBUTING.md SECURITY.md Makefile docs

# Arbitrary bytes and valid files with mistakes for every reader, FUZZ_SECONDS (30) each; guided where atheris installs.
# Kernels are a debug build there, in which an index beyond its array is an error.
fuzz: export SOFTCOUNT_CHECK_BOUNDS = 1
fuzz: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris || echo "atheris does not install here"
	FUZZ_SECONDS=$${FUZZ_SECONDS:-30} $(BIN)/pytest --thorough too tests/test_damaged_models.py tests/test_forged_models.py \
	  tests/test_forged_checkpoints.py tests/test_forged_shards.py tests/test_bounds.py
	$(BIN)/python tests/fuzz.py

# Small mistakes, one at a time, and whether the tests notice; MUTANTS (3) of every file, and as many again where it
# counts. Half an hour or so; a run that was cut goes on where it was.
mutants: $(STAMP)
	$(BIN)/python tests/mutants.py --sample $${MUTANTS:-3}

# Whether this tree and another do the same: bits, peak memory, CPU seconds. BASE=../softcount-0.2.0 ONLY=hmm PAIRS=7
compare: $(STAMP)
	$(BIN)/python tests/compare.py $(BASE) . --only "$(ONLY)" --pairs $${PAIRS:-7}

# Every bench prints its own table; those that need corpora or peers that are not there say so and skip.
bench: .venv/bench-installed
	for script in bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# The site, in build/site: open build/site/index.html. Examples that show what they print are run; a warning is an error.
docs: .venv/docs-installed
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo "wrote build/site/index.html"

# Rebuilt when what must be installed changes: what a user needs, and in the same place what a developer needs besides.
$(INSTALLED): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m compileall -q src  # or every command compiles itself where Python was told to write no bytecode
	touch $@

$(STAMP): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

.venv/bench-installed: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	touch $@

.venv/docs-installed: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv .cache build docs/_made docs/reference/api
