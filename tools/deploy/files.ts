import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const readText = (path: string) => readFileSync(join(root, path), 'utf8')
/** The version in the root `package.json`, which images and packages have. */
export const { version } = JSON.parse(readText('package.json')) as { version: string }
