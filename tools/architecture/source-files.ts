import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  path: string
  text: string
  tree: ts.SourceFile
}

const sources = [
  'packages/*/src/**/*.{ts,tsx}',
  'packages/*/*.ts',
  '{tools,bench}/**/*.ts',
  'examples/**/*.{ts,tsx}',
]

/** Lists the TypeScript files of the project, sorted. */
export function listSources(root: string): string[] {
  return globSync(sources, { cwd: root, exclude: isIgnored }).toSorted()
}

/** Lists all files in the `src` folders of the packages. */
export function listFiles(root: string): string[] {
  return globSync('packages/*/src/**/*', { cwd: root, exclude: isIgnored }).toSorted()
}

function isIgnored(name: string): boolean {
  return /(^|\/)(node_modules|dist|data)$/.test(name)
}

export function parseSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
}

export function lineOf({ tree }: SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1
}

/** Calls `visit` with `node` and all its descendants, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, child => walk(child, visit))
}
