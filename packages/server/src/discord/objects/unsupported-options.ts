import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import type { LeftOut } from '../../applications/index.ts'
import { optionTypeNumbers } from './discord-interaction.ts'

/** ATTACHMENT: there are no files here. */
const attachment = 11

/**
 * The commands of a set without options for files, and what is missing. If such an option is required, its subcommand
 * goes with it, and so does a group or command that has no other (discord/unsupported-options).
 */
export function withoutUnsupportedOptions(given: readonly JsonObject[]): {
  supported: JsonObject[]
  leftOut: LeftOut[]
} {
  const leftOut: LeftOut[] = []
  const supported = given.flatMap((command): readonly JsonObject[] => {
    const usable = withoutAttachments(command, [], leftOut)
    return usable === undefined ? [] : [usable]
  })
  return { supported, leftOut }
}

/** A command, subcommand or group; undefined if it cannot be used. Adds to `leftOut`. */
function withoutAttachments(
  given: JsonObject,
  parents: readonly unknown[],
  leftOut: LeftOut[],
): JsonObject | undefined {
  const { options } = given
  if (!Array.isArray(options)) return given
  const names = [...parents, given.name]
  const command = names.join(' ')
  const attachments = options.filter((option: unknown) => isAttachment(option))
  if (attachments.some(({ required }) => required === true)) {
    leftOut.push({ command })
    return undefined
  }
  leftOut.push(...attachments.map(({ name }) => ({ command, option: String(name) })))
  const kept = options
    .filter(option => !isAttachment(option))
    .map((option: unknown) => (isNested(option) ? withoutAttachments(option, names, leftOut) : option))
    .filter(option => option !== undefined)
  return kept.length === 0 && options.some(isNested) ? undefined : { ...given, options: kept }
}

/** The command with options for text instead of those for files: it is valid if the given one is. */
export function withOptionsAsText(given: JsonObject): JsonObject {
  const { options } = given
  if (!Array.isArray(options)) return given
  return { ...given, options: options.map(withText) }
}

function withText(option: unknown): unknown {
  if (isNested(option)) return withOptionsAsText(option)
  return isAttachment(option) ? { ...option, type: optionTypeNumbers.string } : option
}

function isAttachment(option: unknown): option is JsonObject {
  return isJsonObject(option) && option.type === attachment
}

function isNested(option: unknown): option is JsonObject {
  const { subcommand, subcommand_group: group } = optionTypeNumbers
  return isJsonObject(option) && (option.type === subcommand || option.type === group)
}
