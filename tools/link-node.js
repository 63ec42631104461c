// Runs after `npm ci`. npm before 11.6 removes the command `node` again when it skips the packages of the other
// platforms, which have a command of the same name. JavaScript, because the Node.js that runs this may be older than
// the one that is linked.
import { existsSync, linkSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const commands = join(root, 'node_modules/.bin')

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

for (const name of Object.keys(readManifest(root).optionalDependencies)) {
  const folder = join(root, 'node_modules', name)
  if (!existsSync(folder)) continue
  const { os, cpu, bin } = readManifest(folder)
  const command = join(commands, basename(bin.node))
  if (os !== process.platform || cpu !== process.arch || existsSync(command)) continue
  mkdirSync(commands, { recursive: true })
  linkSync(join(folder, bin.node), command)
}
