import { enableCompileCache } from 'node:module'

// The cache of compiled code makes every start after the first one faster: the first response is due within a second.
enableCompileCache()

const { run } = await import('./cli.ts')
process.exitCode = await run(process.argv.slice(2))
