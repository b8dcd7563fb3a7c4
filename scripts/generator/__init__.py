"""The generator: from `schema/source/**/*.yaml` to everything that is made of it.

`load` reads YAML with its line numbers; `texts`, `project`, `vocabularies`, `messages`, `clauses`,
`schemas` and `examples` each understand one kind of source; `build` puts all together. `policies`
hold what no single file can see, `locks` what must be remembered between two runs, `trial` runs the
examples against what was made, and `write` keeps the tree. `command` is the command line.
"""
