// Runs before the scripts of package.json. JavaScript, because the Node.js that runs this may not know the extension
// `.ts`.
import { existsSync } from 'node:fs'

const { node } = process.versions
const installed = existsSync(new URL('../node_modules', import.meta.url))
if (!installed || Number.parseInt(node, 10) < 24) {
  console.error(
    installed
      ? `Node.js ${node} is too old. Run \`npm ci\` without --ignore-scripts: it links the version that it installs.`
      : 'Run `npm ci` first. It installs the libraries and the version of Node.js that runs the service.',
  )
  process.exitCode = 1
}
