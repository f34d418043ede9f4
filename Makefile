# LitLedger's commands. `make` alone lists them. Needs Python 3.11 or newer; everything else is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
export DJANGO_SETTINGS_MODULE := litapp.settings
SANDBOX_PORT ?= 8100
DEMO := LITAPP_DATA_DIR=$(CURDIR)/data/demo LITAPP_SANDBOX_URL=http://127.0.0.1:$(SANDBOX_PORT) LITAPP_SANDBOX_CLOCK=20

.PHONY: help run demo test check format requirements clean

help:
	@echo "make run    start LitLedger with the real sources  (http://127.0.0.1:$(PORT))"
	@echo "make demo   start it with the built-in sandbox and real PubMed records, no internet after the first start"
	@echo "make test   run every test, browser tests included where Chromium is installed"
	@echo "make check  linters, types, floors, migrations, deployment check"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "LitLedger needs Python 3.11 or newer; '$(PYTHON)' is older. Name another one: make run PYTHON=python3.12"; exit 1; }
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing (on Debian: apt install python3-venv)."; exit 1; }

$(VENV)/run.stamp: requirements/run.txt | $(VENV)/bin/python
	@echo "Installing what LitLedger needs (130 MB to download, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@touch $@

$(VENV)/test.stamp: requirements/test.txt | $(VENV)/bin/python
	@echo "Installing what the tests need (225 MB in all to download, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/test.txt
	@touch $@ $(VENV)/run.stamp

run: $(VENV)/run.stamp
	@$(BIN)/python manage.py prepare
	@$(BIN)/python manage.py serve --port $(PORT)

demo: $(VENV)/run.stamp
	@$(DEMO) $(BIN)/python manage.py prepare
	@$(DEMO) $(BIN)/python manage.py demo --port $(PORT)

test: $(VENV)/test.stamp
	@$(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder -m "not e2e" $(TESTS)
	@echo "Now the browser tests (skipped and counted where Chromium is not installed):"
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m e2e $(TESTS)

check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/mypy litapp searches references
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	LITAPP_HTTPS=yes LITAPP_SECRET_KEY_FILE= LITAPP_SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python -m pip check

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# For developers: needs `uv`. No registry address may stand in the files.
requirements:
	cd requirements && for name in run test scale; do \
	  uv pip compile --quiet --no-emit-index-url --no-emit-find-links --generate-hashes --universal --python-version 3.11 $$name.in -o $$name.txt; done

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache
