import type { InferOutput } from 'valibot'
import { splitCode } from './code.ts'
import {
  mustBe,
  oneOf as notOneOf,
  type Path,
  tooMany,
  unknownMember,
  type Violation,
} from './field-errors.ts'
import { everyonePattern, Id, idPattern, isId } from './ids.ts'
import { maxMentionIds } from './limits.ts'
import { Documented } from './schema.ts'
import { boolean, list, nullable, object, oneOf, openObject, optional } from './wire.ts'

const kinds = ['users', 'roles', 'everyone'] as const
type Kind = (typeof kinds)[number]

/**
 * Which of the mentions in the text of a message may notify. `parse`: all mentions of a kind; `users`, `roles`: only these
 * ids. A kind that is absent notifies nobody. Discord's format has the same keys.
 */
export const AllowedMentions = object(
  {
    parse: optional(list(oneOf(kinds), 'All mentions of these kinds.')),
    users: optional(list(Id, 'Only these users.', { max: maxMentionIds })),
    roles: optional(list(Id, 'Only these roles.', { max: maxMentionIds })),
  },
  'The mentions that may notify.',
)
export type AllowedMentions = InferOutput<typeof AllowedMentions>

const mentionsInput = {
  parse: optional(nullable(list(oneOf(kinds), 'All mentions of these kinds.', { max: maxMentionIds }))),
  users: optional(nullable(list(Id, 'Only these users.', { max: maxMentionIds }))),
  roles: optional(nullable(list(Id, 'Only these roles.', { max: maxMentionIds }))),
}

/** `allowed_mentions` of a request to a webhook, for the API document. */
export const WebhookAllowedMentions = openObject(
  mentionsInput,
  'The mentions that may notify. Ids may also be numbers. Other members are ignored.',
)

/** `allowedMentions` of a request body: unknown until `checkAllowedMentions` has validated it. */
export const AllowedMentionsInput = Documented(
  nullable(object(mentionsInput, 'The mentions that may notify.')),
  'The mentions that may notify.',
  value => checkAllowedMentions(value).violations,
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
export type Mentions = InferOutput<typeof Mentions>

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
 * The mentions in a text: `<@id>`, `<@!id>`, `<@&id>`, `@everyone`, `@here`. Only for `content`, not for embeds. Whom the message
 * notifies is decided later: `applyAllowedMentions`, and in the service permissions.
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
 * The mentions in `found` that `allowed` permits, or `fallback` if `allowed` is undefined. Adds no mention that the text
 * does not contain. `everyone` and `roles` still need MENTION_EVERYONE (webhooks/mentions).
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
 * Returns each id once. `allowed` is undefined if the value is absent or null, or if there are violations. A kind in `parse`
 * and ids of the same kind exclude each other (webhooks/mentions-exclusive). Unknown members are violations in the native
 * API and are ignored in Discord's format (webhooks/files-and-unknown-keys).
 */
export function checkAllowedMentions(
  value: unknown,
  { member }: MentionOptions = { member: 'allowedMentions' },
): { allowed: AllowedMentions | undefined; violations: Violation[] } {
  if (value === undefined || value === null) return { allowed: undefined, violations: [] }
  const violations: Violation[] = []
  if (typeof value !== 'object' || Array.isArray(value)) {
    return {
      allowed: undefined,
      violations: [{ path: [member], ...mustBe('object') }],
    }
  }
  const given: { parse?: unknown; users?: unknown; roles?: unknown } = value
  const parse = readKinds(given.parse, [member, 'parse'], violations)
  const users = readIds(given.users, [member, 'users'], violations)
  const roles = readIds(given.roles, [member, 'roles'], violations)
  for (const [kind, ids] of [['users', users] as const, ['roles', roles] as const]) {
    if (!parse.includes(kind) || ids.length === 0) continue
    const message = `must not be given if "parse" contains "${kind}"`
    violations.push({ path: [member, kind], code: 'conflict', message })
  }
  if (member === 'allowedMentions') {
    for (const key of Object.keys(value)) {
      if (key === 'parse' || key === 'users' || key === 'roles') continue
      violations.push({ path: [member, key], ...unknownMember(['parse', 'users', 'roles']) })
      if (violations.length > maxMentionIds) break
    }
  }
  return { allowed: violations.length > 0 ? undefined : { parse, users, roles }, violations }
}

function readKinds(value: unknown, path: Path, violations: Violation[]): Kind[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    violations.push({ path, ...mustBe('array') })
    return []
  }
  if (value.length > maxMentionIds) {
    violations.push({ path, ...tooMany(maxMentionIds, 'kind') })
    return []
  }
  const found = kinds.filter(kind => value.includes(kind))
  const wrong = value.findIndex(item => !kinds.includes(item))
  if (wrong >= 0) violations.push({ path: [...path, wrong], ...notOneOf(kinds) })
  return found
}

function readIds(value: unknown, path: Path, violations: Violation[]): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    violations.push({ path, code: 'invalid_type', message: 'must be an array of ids' })
    return []
  }
  if (value.length > maxMentionIds) {
    violations.push({ path, ...tooMany(maxMentionIds, 'id') })
    return []
  }
  const ids = new Set<string>()
  for (const [index, item] of value.entries()) {
    if (isId(item)) ids.add(item)
    else violations.push({ path: [...path, index], code: 'invalid_format', message: 'must be an id' })
  }
  return [...ids]
}
