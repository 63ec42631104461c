import type { Overwrite } from '@gatehouse/protocol/channels'
import { isId } from '@gatehouse/protocol/ids'
import { isJsonObject, type JsonObject, numberToText } from '@gatehouse/protocol/json-object'
import { effectivePermissions, readPermissions } from '@gatehouse/protocol/permissions'
import { invalid, invalidAll } from '../errors/app-error.ts'
import { overwriteTypes } from './objects/discord-channel.ts'

/**
 * The members of `from` that are present, by their names in our API:
 * `rename(body, { rate_limit_per_user: 'slowMode' })`.
 */
export function rename(from: JsonObject, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, ours]) => (from[name] === undefined ? [] : [[ours, from[name]]])),
  )
}

/** An id, which may be a number. */
export const toId = numberToText

/** Throws 400 unless the value is an id, which may be a number. */
export function requireId(value: unknown, path: string): string {
  const id = toId(value)
  if (isId(id)) return id
  throw invalid(path, 'invalid_format', 'must be an id')
}

const wordsInPaths: readonly string[] = ['@me', '@original']

/**
 * Throws 400 unless the ids of a path are numbers, or words of Discord's API that stand for one. Whether something has
 * the id is another question.
 */
export function requirePathIds(params: Readonly<Record<string, string>>): void {
  const wrong = Object.entries(params).filter(
    ([name, value]) => name.endsWith('Id') && !/^\d{1,20}$/.test(value) && !wordsInPaths.includes(value),
  )
  if (wrong.length === 0) return
  throw invalidAll(
    wrong.map(([path, value]) => ({
      path,
      code: 'invalid_format',
      message: `value ${JSON.stringify(value.slice(0, 64))} is not snowflake`,
    })),
  )
}

/** The name of a number of Discord's API. Undefined if it has none. */
export function nameOfNumber(numbers: Readonly<Record<string, number>>, given: unknown): string | undefined {
  return Object.keys(numbers).find(name => numbers[name] === given)
}

/** The ids of a path about a member or a ban. */
export function toMemberIds({ guildId: id = '', userId = '' }: Readonly<Record<string, string>>) {
  return { id, userId }
}

const lowestId = '10000000000000000'

/** The end of a page: a number below every id, such as 0, is the lowest id. */
export function toCursor(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,16}$/.test(value) ? lowestId : value
}

/**
 * A set of permissions, which may be a number, without those that have no effect here: of these it has what is
 * `stored`, which bots do not see (discord/permissions). Other values stay, so that the operation rejects them.
 */
export function toPermissions(value: unknown, stored = '0'): unknown {
  const text = numberToText(value)
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return value
  return String((BigInt(text) & effectivePermissions) | (readPermissions(stored) & ~effectivePermissions))
}

/** The overwrites of a channel. Without `allow` or `deny`, that is no permission. */
export function toOverwrites(value: unknown, stored: readonly Overwrite[] = []): unknown {
  if (!Array.isArray(value)) return value
  return value.map(each => (isJsonObject(each) ? toOverwrite(each, stored) : each))
}

function toOverwrite(given: JsonObject, stored: readonly Overwrite[]): Record<string, unknown> {
  const id = toId(given.id)
  return {
    id,
    ...toOverwriteBody(
      given,
      stored.find(overwrite => overwrite.id === id),
    ),
  }
}

export function toOverwriteBody(
  { type, allow, deny }: JsonObject,
  stored: Overwrite | undefined,
): Record<string, unknown> {
  const types = ['role', 'member'] as const
  return {
    type: types.find(name => String(overwriteTypes[name]) === toId(type)) ?? type,
    allow: toPermissions(allow ?? '0', stored?.allow),
    deny: toPermissions(deny ?? '0', stored?.deny),
  }
}

/**
 * Throws 400 for members that would change what does not exist here (discord/unsupported). Null, false, 0 and empty
 * values do not.
 */
export function refuseMembers(from: JsonObject, names: readonly string[]): void {
  const given = names.filter(name => from[name] && !(Array.isArray(from[name]) && from[name].length === 0))
  if (given.length === 0) return
  throw invalidAll(
    given.map(path => ({ path, code: 'not_supported', message: 'is not supported by this service' })),
  )
}
