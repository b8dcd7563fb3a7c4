"""The generator: makes all generated files from `schema/source/**/*.yaml`.

`load` reads YAML with its line numbers. `texts`, `project`, `vocabularies`, `messages`, `clauses`,
`schemas` and `examples` each read one kind of source; `build` combines them. `policies` checks what
needs several files, `locks` keeps what one run must know of the last, `trial` runs the examples
against the new files, and `write` updates the tree. `command` is the command line.
"""
