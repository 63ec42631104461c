#!/usr/bin/env node
import { run } from './cli.ts'

// Some versions of Node.js warn at every start that node:sqlite is experimental.
process.emitWarning = new Proxy(process.emitWarning, {
  apply(emit, self, args) {
    if (!String(args[0]).startsWith('SQLite is an experimental')) Reflect.apply(emit, self, args)
  },
})

process.exitCode = await run(process.argv.slice(2))
