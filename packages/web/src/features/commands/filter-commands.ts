import type { RunnableCommand } from '../../core/commands.ts'

/** The command name that is being typed after the slash, or undefined if the text is not only that. */
export function parseCommandQuery(text: string): string | undefined {
  return /^\/([-_\p{L}\p{M}\p{N}\p{Join_Control}]{0,32})$/u.exec(text.normalize('NFC'))?.[1]?.toLowerCase()
}

/**
 * As `parseCommandQuery`, for the names of subcommands, which contain spaces: `config ro`. Undefined if no name starts
 * with the text.
 */
export function parseSubcommandQuery(
  text: string,
  commands: readonly Pick<RunnableCommand, 'name' | 'label'>[],
): string | undefined {
  const typed = /^\/([-_\p{L}\p{M}\p{N}\p{Join_Control}]+ [-_\p{L}\p{M}\p{N}\p{Join_Control} ]*)$/u
    .exec(text.normalize('NFC'))?.[1]
    ?.toLowerCase()
  const isKnown = (query: string) =>
    commands.some(command => namesOf(command).some(name => name.startsWith(query)))
  return typed !== undefined && isKnown(typed) ? typed : undefined
}

/** The name, and the one in the language of the client. */
function namesOf({ name, label }: Pick<RunnableCommand, 'name' | 'label'>): string[] {
  return name === label ? [name] : [name, label]
}

/**
 * The commands whose name the user has typed, followed by white space, with the text after it. `name` and `rest` are
 * the first word and the text after it.
 */
export function findTypedCommands<Command extends Pick<RunnableCommand, 'name' | 'label'>>(
  commands: readonly Command[],
  { name, rest, hasSpace }: { name: string; rest: string; hasSpace: boolean },
): { command: Command; rest: string }[] {
  if (!hasSpace) return []
  return commands.flatMap(command => {
    for (const [first, ...words] of namesOf(command).map(other => other.split(' '))) {
      if (first !== name) continue
      const after = words.reduce<string | undefined>((text, word) => {
        const [, typed, remaining] = /^\s*(\S+)\s([\s\S]*)$/u.exec(text ?? '') ?? []
        return typed?.normalize('NFC').toLowerCase() === word ? remaining : undefined
      }, rest)
      if (after !== undefined) return [{ command, rest: after }]
    }
    return []
  })
}

/** Commands whose name starts with the text, then those whose name or description contains it. */
export function filterCommands(commands: readonly RunnableCommand[], typed: string): RunnableCommand[] {
  const rank = (command: RunnableCommand) => {
    const { description } = command
    const names = namesOf(command)
    if (names.some(name => name.startsWith(typed))) return 0
    if (names.some(name => name.includes(typed))) return 1
    return typed.length > 1 && description.toLowerCase().includes(typed) ? 2 : 3
  }
  return commands
    .map(command => ({ command, rank: rank(command) }))
    .filter(entry => entry.rank < 3)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        a.command.name.localeCompare(b.command.name) ||
        a.command.application.name.localeCompare(b.command.application.name),
    )
    .map(({ command }) => command)
}

const maxSimilar = 3

/** Commands with a similar name: it differs by one or two characters, or one name is a prefix of the other. */
export function findSimilarCommands(commands: readonly RunnableCommand[], typed: string): RunnableCommand[] {
  const maxDistance = typed.length < 4 ? 1 : 2
  const isPrefix = (name: string) => typed.length > 1 && (name.startsWith(typed) || typed.startsWith(name))
  return commands
    .map(command => {
      const names = namesOf(command)
      return { command, names, distance: Math.min(...names.map(name => editDistance(name, typed))) }
    })
    .filter(({ names, distance }) => distance <= maxDistance || names.some(isPrefix))
    .sort((a, b) => a.distance - b.distance || a.command.name.localeCompare(b.command.name))
    .map(({ command }) => command)
    .filter(({ name }, index, all) => all.findIndex(other => other.name === name) === index)
    .slice(0, maxSimilar)
}

/** The optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const cell = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : replaced
      row.push(Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced, swapped))
    }
  }
  return cell(a.length, b.length)
}
