import {
  type AvailableCommand,
  type Choice,
  type CommandOption,
  type CommandType,
  hasValue,
  type Localizations,
  type Option,
} from '@gatehouse/protocol/commands'
import type { EnteredOption } from '@gatehouse/protocol/interactions'
import { type Locale, localeOfTag } from '@gatehouse/protocol/locales'

/** An option with its texts in the language of the client. */
export interface RunnableOption extends Option {
  /** The name that the user sees. */
  label?: string
}

/** A command or subcommand that the user can run, with its texts in the language of the client. */
export interface RunnableCommand extends Omit<AvailableCommand, 'options'> {
  /** Differs from that of the other subcommands. */
  key: string
  /** The names of the command, group and subcommand, separated by spaces. */
  name: string
  /** The name that the user sees. */
  label: string
  /** The names of the group and subcommand. */
  subcommand: readonly string[]
  options: RunnableOption[]
}

/** The commands and subcommands that the user can run. */
export function listRunnableCommands(
  commands: readonly AvailableCommand[],
  locale: Locale,
): RunnableCommand[] {
  return commands.flatMap(command => {
    const { options, ...rest } = command
    const toRunnable = (parts: readonly Named[], values: readonly Option[]): RunnableCommand => {
      const name = parts.map(part => part.name).join(' ')
      const label = parts.map(part => localize(part.nameLocalizations, locale) ?? part.name).join(' ')
      const last = parts.at(-1) ?? command
      return {
        ...rest,
        key: `${command.id} ${name}`,
        name,
        label,
        description: localize(last.descriptionLocalizations, locale) ?? last.description,
        subcommand: parts.slice(1).map(part => part.name),
        options: values.map(option => localizeOption(option, locale)),
      }
    }
    const collect = (parts: readonly Named[], inner: readonly CommandOption[]): RunnableCommand[] => {
      const parents = inner.flatMap(option => (hasValue(option) ? [] : [option]))
      if (parents.length === 0) return [toRunnable(parts, inner.filter(hasValue))]
      return parents.flatMap(parent => collect([...parts, parent], parent.options))
    }
    return collect([command], options)
  })
}

type Named = Pick<AvailableCommand, 'name' | 'nameLocalizations' | 'description' | 'descriptionLocalizations'>

function localizeOption(option: Option, locale: Locale): RunnableOption {
  const { nameLocalizations, descriptionLocalizations, choices } = option
  return {
    ...option,
    label: localize(nameLocalizations, locale) ?? option.name,
    description: localize(descriptionLocalizations, locale) ?? option.description,
    ...(choices && {
      choices: choices.map(choice => ({ ...choice, name: choiceName(choice, locale) })),
    }),
  }
}

/** The name of the choice in the language of the client. */
export function choiceName({ name, nameLocalizations }: Choice, locale: Locale): string {
  return localize(nameLocalizations, locale) ?? name
}

/** The text in the language of the client, or else in one of its variants: `pt-BR` for `pt`. */
function localize(texts: Localizations | undefined, locale: Locale): string | undefined {
  if (!texts) return undefined
  return texts[locale] ?? Object.entries(texts).find(([tag]) => localeOfTag(tag) === locale)?.[1]
}

/** A command as texts name it: a slash command has a slash before its name. */
export function commandText(name: string, type: CommandType | undefined): string {
  return type === 'user' || type === 'message' ? name : `/${name}`
}

/** The options of a request that runs the command. */
export function toEnteredOptions(
  { subcommand }: Pick<RunnableCommand, 'subcommand'>,
  values: EnteredOption[],
): EnteredOption[] {
  return subcommand.reduceRight((options, name) => [{ name, options }], values)
}
