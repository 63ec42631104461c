import { ConfigError } from '../config.ts'
import { commands } from './command-table.ts'
import { formatError } from './format-error.ts'
import { isSupportedNodeVersion, supportedNodeVersions } from './node-version.ts'

/**
 * Runs one command. Resolves to the exit code: 0 for success, 1 for a failure, 2 for an invalid command or
 * configuration.
 */
export async function run(args: readonly string[]): Promise<number> {
  if (!isSupportedNodeVersion(process.versions.node)) {
    process.stderr.write(`Node.js ${supportedNodeVersions} is needed. This is ${process.versions.node}.\n`)
    return 1
  }
  try {
    return await runCommand(args)
  } catch (error) {
    process.stderr.write(`${formatError(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

async function runCommand(args: readonly string[]): Promise<number> {
  if (['', 'help', '--help'].includes(args.join(' '))) {
    process.stdout.write(describeUsage())
    return 0
  }
  const runFound = commands.findLast(({ words }) => matches(words, args))?.parse(args)
  if (runFound === undefined) {
    process.stderr.write(describeMistake(args))
    return 2
  }
  const result = await runFound()
  if (typeof result === 'number') return result
  process.stdout.write(`${result}\n`)
  return 0
}

function matches(words: readonly (readonly string[])[], args: readonly string[]): boolean {
  return words.every((names, index) => names.includes(args[index] ?? ''))
}

function describeUsage(): string {
  return `Usage: gatehouse <command>

${commands.map(({ usage }) => usage).join('\n')}

The configuration is read from environment variables: see docs/reference.md.
In the folder of the source code, gatehouse is "npm run -s gatehouse --".
`
}

function describeMistake(args: readonly string[]): string {
  const similar = [2, 1]
    .map(length => commands.filter(({ words }) => matches(words.slice(0, length), args)))
    .find(({ length }) => length > 0)
  if (similar === undefined) return `Unknown command "${args[0]}". gatehouse --help lists the commands.\n`
  const usage = similar.map(({ usage }) => usage).join('\n')
  return `"${args.slice(0, 2).join(' ')}" is not complete or not known. Usage:\n\n${usage}\n`
}
