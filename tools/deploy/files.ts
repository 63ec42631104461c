import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

export const root = join(import.meta.dirname, '../..')

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Reads the documents of a YAML file of this repository. Throws on errors and warnings of the parser. */
export function readYaml<T>(path: string): T[] {
  return parseAllDocuments(readText(path), { merge: true }).map(document => {
    const [problem] = [...document.errors, ...document.warnings]
    if (problem) throw new Error(`${path}: ${problem.message}`)
    return document.toJS() as T
  })
}

/** The version in the root `package.json`, which images and packages have. */
export const { version } = JSON.parse(readText('package.json')) as { version: string }
