// `npm start`: runs the built service, and builds it first if it is not built.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const main = join(root, 'dist/gatehouse/packages/server/dist/main.js')

if (!existsSync(main)) {
  console.error('dist/gatehouse does not exist. Building it with "npm run build".')
  // A shell, because npm is not an executable file on Windows.
  const { status } = spawnSync('npm run build', { cwd: root, shell: true, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
process.argv.push('serve')
await import(pathToFileURL(main).href)
