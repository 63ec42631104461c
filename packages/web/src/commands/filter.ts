import type { AvailableCommand } from '@gatehouse/protocol/commands'

/** The name that is being typed after the slash, or undefined where the text is no command. */
export function typedCommand(text: string): string | undefined {
  return /^\/([-_\p{L}\p{N}]{0,32})$/u.exec(text.normalize('NFC'))?.[1]?.toLowerCase()
}

/**
 * Commands that fit what was typed: names that begin with it, then names that hold it, then those whose description
 * does; among equals by name, then by application.
 */
export function filterCommands(commands: readonly AvailableCommand[], typed: string): AvailableCommand[] {
  const rank = ({ name, description }: AvailableCommand) => {
    if (name.startsWith(typed)) return 0
    if (name.includes(typed)) return 1
    return typed.length > 1 && description.toLowerCase().includes(typed) ? 2 : 3
  }
  return commands
    .map(command => ({ command, rank: rank(command) }))
    .filter(({ rank: place }) => place < 3)
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        a.command.name.localeCompare(b.command.name) ||
        a.command.application.name.localeCompare(b.command.application.name),
    )
    .map(({ command }) => command)
}
