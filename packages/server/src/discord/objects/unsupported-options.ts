import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { optionTypeNumbers } from './discord-interaction.ts'

/** ATTACHMENT: there are no files here. */
const attachment = 11

/**
 * The commands of a set without options for files, each with its index in the request. If such an option is required,
 * its subcommand goes with it, and so does a group or command that has no other (discord/unsupported-options).
 */
export function withoutUnsupportedOptions(
  given: readonly JsonObject[],
): { command: JsonObject; index: number }[] {
  return given.flatMap((each, index) => {
    const command = withoutAttachments(each)
    return command === undefined ? [] : [{ command, index }]
  })
}

/** A command, subcommand or group; undefined if it cannot be used. */
function withoutAttachments(given: JsonObject): JsonObject | undefined {
  const { options } = given
  if (!Array.isArray(options)) return given
  if (options.some(option => isAttachment(option) && option.required === true)) return undefined
  const kept = options
    .filter(option => !isAttachment(option))
    .map((option: unknown) => (isNested(option) ? withoutAttachments(option) : option))
    .filter(option => option !== undefined)
  return kept.length === 0 && options.some(isNested) ? undefined : { ...given, options: kept }
}

function isAttachment(option: unknown): option is JsonObject {
  return isJsonObject(option) && option.type === attachment
}

function isNested(option: unknown): option is JsonObject {
  const { subcommand, subcommand_group: group } = optionTypeNumbers
  return isJsonObject(option) && (option.type === subcommand || option.type === group)
}
