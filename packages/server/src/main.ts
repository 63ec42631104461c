import { enableCompileCache } from 'node:module'

// Compiled code is kept between starts: a start has a second to its first answer.
enableCompileCache()

const { run } = await import('./cli.ts')
process.exitCode = await run(process.argv.slice(2))
