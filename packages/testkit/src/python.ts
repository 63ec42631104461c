import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

// Debian's packages work only with Debian's Python, which may not be the first in PATH.
const pythons = ['python3', '/usr/bin/python3']

/** The command of a Python that has all these modules. */
export async function findPython(...modules: string[]): Promise<string | undefined> {
  for (const python of pythons) {
    const found = await promisify(execFile)(python, ['-c', `import ${modules.join()}`]).catch(() => undefined)
    if (found) return python
  }
  return undefined
}
