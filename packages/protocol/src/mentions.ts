import * as v from 'valibot'
import { splitCode } from './code.ts'
import type { Violation } from './field-errors.ts'
import { everyonePattern, Id, idPattern } from './ids.ts'
import { isAbsent } from './json-object.ts'
import { maxMentionIds } from './limits.ts'
import { parse } from './parse.ts'
import { boolean, converted, list, nullable, nullish, object, oneOf, openObject, rule } from './wire.ts'

const kinds = ['users', 'roles', 'everyone'] as const

// A value of another type too is `invalid_format`.
const ids = list(
  converted(Id, given => (typeof given === 'string' ? given : '')),
  undefined,
  { max: maxMentionIds, unit: 'id' },
)
const mentionsInput = {
  parse: nullish(list(oneOf(kinds), 'All mentions of these kinds.', { max: maxMentionIds, unit: 'kind' })),
  users: nullish(ids, 'Only these users.'),
  roles: nullish(ids, 'Only these roles.'),
}

/**
 * Which of the mentions in the text of a message may notify. `parse`: all mentions of a kind; `users`, `roles`: only
 * these ids. A kind that is absent notifies nobody. Discord's format has the same keys.
 */
export type AllowedMentions = v.InferOutput<v.ObjectSchema<typeof mentionsInput, undefined>>

const mentionsText = 'The mentions that may notify.'

/** `allowed_mentions` of a request to a webhook. */
export const WebhookAllowedMentions = v.pipe(
  openObject(mentionsInput, `${mentionsText} Ids may also be numbers. Other members are ignored.`),
  rule(checkExclusive, { always: true }),
  v.transform(toAllowedMentions),
)

/** `allowedMentions` of a request body. Null is absent. */
export const AllowedMentionsInput = v.pipe(
  nullable(v.pipe(object(mentionsInput, mentionsText), rule(checkExclusive, { always: true }))),
  v.transform(given => (given === null ? undefined : toAllowedMentions(given))),
)

/** Of a message: the users and roles that it notifies. Of `parseMentions`: those that the text names. Each id once. */
export const Mentions = object(
  {
    users: list(Id, 'The ids of the users.'),
    roles: list(Id, 'The ids of the roles.'),
    everyone: boolean('Whether it notifies everyone in the channel.'),
  },
  'The users and roles that the message notifies.',
)
export type Mentions = v.InferOutput<typeof Mentions>

/** webhooks/mentions: the mentions that a message of a bot or webhook may notify by default. */
export const usersOnly: AllowedMentions = Object.freeze({ parse: ['users' as const] })

/** The mentions that a user's message may notify by default. The user's permissions can restrict them. */
export const anyMention: AllowedMentions = Object.freeze({ parse: [...kinds] })

// After an odd number of backslashes, `<` is text.
const mention = new RegExp(
  String.raw`(?<!(?<!\\)(?:\\\\)*\\)<@([!&]?)(${idPattern})>|${everyonePattern}`,
  'gu',
)

/**
 * The mentions in a text: `<@id>`, `<@!id>`, `<@&id>`, `@everyone`, `@here`. Only for `content`, not for embeds. Whom
 * the message notifies is decided later: `applyAllowedMentions`, and in the service permissions.
 */
export function parseMentions(content: string): Mentions {
  if (!content.includes('@')) return { users: [], roles: [], everyone: false }
  const users = new Set<string>()
  const roles = new Set<string>()
  let everyone = false
  for (const { text, fence } of splitCode(content)) {
    // A mention in code notifies nobody.
    if (fence > 0) continue
    for (const [, sign, id] of text.matchAll(mention)) {
      if (id === undefined) everyone = true
      else (sign === '&' ? roles : users).add(id)
    }
  }
  return { users: [...users], roles: [...roles], everyone }
}

/**
 * The mentions in `found` that `allowed` permits, or `fallback` if `allowed` is undefined. Adds no mention that the
 * text does not contain. `everyone` and `roles` still need MENTION_EVERYONE (webhooks/mentions).
 */
export function applyAllowedMentions(
  found: Mentions,
  allowed: AllowedMentions | undefined,
  fallback: AllowedMentions,
): Mentions {
  const { parse = [], users, roles } = allowed ?? fallback
  return {
    users: parse.includes('users') ? found.users : found.users.filter(id => users?.includes(id)),
    roles: parse.includes('roles') ? found.roles : found.roles.filter(id => roles?.includes(id)),
    everyone: found.everyone && parse.includes('everyone'),
  }
}

/** webhooks/edit-mentions: the mentions that are in both, for an edit without `allowedMentions`. */
export function intersectMentions(found: Mentions, original: Mentions): Mentions {
  return {
    users: found.users.filter(id => original.users.includes(id)),
    roles: found.roles.filter(id => original.roles.includes(id)),
    everyone: found.everyone && original.everyone,
  }
}

interface MentionOptions {
  /** The name of the field: `allowedMentions` or `allowed_mentions`. */
  member: 'allowedMentions' | 'allowed_mentions'
}

/**
 * Returns each id once. `allowed` is undefined if the value is absent or null, or if there are violations. Unknown
 * members are violations in the native API and are ignored in Discord's format (webhooks/files-and-unknown-keys).
 */
export function checkAllowedMentions(
  value: unknown,
  { member }: MentionOptions = { member: 'allowedMentions' },
): { allowed: AllowedMentions | undefined; violations: Violation[] } {
  if (isAbsent(value)) return { allowed: undefined, violations: [] }
  const schema = member === 'allowedMentions' ? AllowedMentionsInput : WebhookAllowedMentions
  const { value: allowed, violations } = parse(schema, value)
  return {
    allowed,
    violations: violations.map(({ path, ...rest }) => ({ path: [member, ...path], ...rest })),
  }
}

/** A kind in `parse` and ids of the same kind exclude each other (webhooks/mentions-exclusive). */
function checkExclusive({ parse = [], users = [], roles = [] }: AllowedMentions): Violation[] {
  const ids = { users, roles }
  return (['users', 'roles'] as const)
    .filter(kind => parse.includes(kind) && ids[kind].some(id => id !== undefined))
    .map(kind => ({
      path: [kind],
      code: 'conflict',
      message: `must not be given if "parse" contains "${kind}"`,
    }))
}

/** Each kind and each id once. */
function toAllowedMentions({ parse = [], users = [], roles = [] }: AllowedMentions) {
  return {
    parse: kinds.filter(kind => parse.includes(kind)),
    users: [...new Set(users)],
    roles: [...new Set(roles)],
  }
}
