# Two commands matter: `make demo` and `make test`. Both install what they need into .venv first.
PYTHON ?= python3
BIN    := .venv/bin
ARGS   ?=
# matrices are small all over: threads of the linear algebra would only wait for each other
export OPENBLAS_NUM_THREADS := 1

.PHONY: help install demo test soak oracles lint bench clean

help:              ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

install: .venv/demo.done  ## fieldloop into .venv

demo: .venv/demo.done  ## the whole loop on embedded defaults, then the pages (ARGS=--no-serve ends instead)
	$(BIN)/fieldloop demo $(ARGS)

test: .venv/test.done lint  ## everything that must hold, in a few minutes
	$(BIN)/pytest -q -n auto --maxprocesses 4 --dist loadfile -m "not soak and not oracle" $(ARGS)

lint: .venv/test.done  ## style, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

soak: .venv/soak.done  ## slow and heavy: kills by the hundred, a cluster that loses a node
	$(BIN)/pytest -q -m soak tests

oracles: .venv/test.done  ## our files, opened by other people's readers
	$(BIN)/pytest -q -m oracle tests

bench: .venv/test.done  ## every benchmark in its short form, as a table
	$(BIN)/python -m bench

clean:             ## forget what was installed
	rm -rf .venv .oracles

.venv/bin/pip:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "fieldloop needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -U pip

.venv/demo.done: .venv/bin/pip pyproject.toml robot/pyproject.toml
	$(BIN)/pip install -q -e ./robot -e '.[all]'
	@touch $@

.venv/test.done: .venv/demo.done
	$(BIN)/pip install -q --group test
	@touch $@

.venv/soak.done: .venv/test.done
	$(BIN)/pip install -q -e '.[ray]'
	@touch $@
