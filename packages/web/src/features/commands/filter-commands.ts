import type { AvailableCommand } from '@gatehouse/protocol/commands'

/** The command name that is being typed after the slash, or undefined if the text is not only that. */
export function parseCommandQuery(text: string): string | undefined {
  return /^\/([-_\p{L}\p{N}]{0,32})$/u.exec(text.normalize('NFC'))?.[1]?.toLowerCase()
}

/** Commands whose name starts with the text, then those whose name or description contains it. */
export function filterCommands(commands: readonly AvailableCommand[], typed: string): AvailableCommand[] {
  const rank = ({ name, description }: AvailableCommand) => {
    if (name.startsWith(typed)) return 0
    if (name.includes(typed)) return 1
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
export function findSimilarCommands(
  commands: readonly AvailableCommand[],
  typed: string,
): AvailableCommand[] {
  const maxDistance = typed.length < 4 ? 1 : 2
  const isPrefix = (name: string) => typed.length > 1 && (name.startsWith(typed) || typed.startsWith(name))
  return commands
    .map(command => ({ command, distance: editDistance(command.name, typed) }))
    .filter(({ command: { name }, distance }) => distance <= maxDistance || isPrefix(name))
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
