"""The generator: from `schema/source/**/*.yaml` to everything that is made of it.

`load` reads YAML with its line numbers, `texts`, `vocabularies`, `messages`, `clauses`, `schemas` and
`examples` each understand one kind of source, `locks` keeps what must be remembered between two runs,
`policies` hold what no single file can see, `build` puts all together and `write` keeps the tree.
"""
