// Runs before the scripts of package.json. JavaScript, because Node.js 20 would only print that it does not know the extension.
import { existsSync } from 'node:fs'

const [major = 0] = process.versions.node.split('.').map(Number)

if (!existsSync(new URL('../node_modules', import.meta.url))) {
  console.error(
    'Run `npm ci` first. It installs the libraries and the version of Node.js that runs the service.',
  )
  process.exitCode = 1
} else if (major < 22) {
  console.error(
    `Node.js ${process.version} is too old, and npm did not link the version that it installed.\n` +
      'Run `npm ci` without --ignore-scripts, or with npm 11.6 or newer.',
  )
  process.exitCode = 1
}
