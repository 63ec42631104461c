import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that repeat the version of the root `package.json`, each with what precedes the version. */
const copies: readonly [pattern: string, before: RegExp][] = [
  ['packages/protocol/src/version.ts', /\bversion = '/g],
  ['{packages,examples}/*/package.json', /^ {2}"version": "/gm],
  [
    'package-lock.json',
    /(?:^\{|"(?:(?:packages|examples)\/[^"/]+)?": \{)\n(?:\s+"name": "[^"]+",\n)?\s+"version": "/gm,
  ],
  ['{README.md,docs/operate.md}', /\bgatehouse-(?=[\d.]+\.tgz)/g],
  ['{compose*.yaml,deploy/kubernetes/gatehouse.yaml}', /\bgatehouse(?:-2)?:(?=\d)/g],
]

/** The paths of the copies with another version, with the right text. */
export function findOldVersions(root: string): { path: string; text: string }[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return copies.flatMap(([pattern, before]) =>
    globSync(pattern, { cwd: root }).flatMap(path => {
      const text = readFileSync(join(root, path), 'utf8')
      const number = new RegExp(`(${before.source})\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?`, before.flags)
      const current = text.replace(number, `$1${version}`)
      return current === text ? [] : { path, text: current }
    }),
  )
}

export function checkVersions(root: string): string[] {
  return findOldVersions(root).map(
    ({ path }) => `${path} has another version than package.json. Run \`npm run docs\`.`,
  )
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  for (const { path, text } of findOldVersions(root)) writeFileSync(join(root, path), text)
}
