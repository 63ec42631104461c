import type { Static } from 'typebox'
import type { CheckFault, Path } from './faults.ts'
import { Id, isId } from './ids.ts'
import { maxMentionIds } from './limits.ts'
import { Checked, closed, OneOf } from './schema.ts'
import { Type } from './type.ts'

const kinds = ['users', 'roles', 'everyone'] as const
type Kind = (typeof kinds)[number]

/**
 * Whom a message may notify of those whom its text mentions. `parse`: every one of a kind; `users`, `roles`: these
 * alone. Absent members notify nobody of their kind. The same keys in both dialects.
 */
export const AllowedMentions = Type.Object(
  {
    parse: Type.Optional(Type.Array(OneOf(kinds))),
    users: Type.Optional(Type.Array(Id, { maxItems: maxMentionIds })),
    roles: Type.Optional(Type.Array(Id, { maxItems: maxMentionIds })),
  },
  closed('Whom the message may notify.'),
)
export type AllowedMentions = Static<typeof AllowedMentions>

/** `allowedMentions` of a request body: unknown until `checkAllowedMentions` has judged it. */
export const AllowedMentionsInput = Checked(AllowedMentions, 'Whom the message may notify.')

/** Whom a message notifies. Each id once. */
export const Mentions = Type.Object(
  { users: Type.Array(Id), roles: Type.Array(Id), everyone: Type.Boolean() },
  closed('Whom the message notifies.'),
)
export type Mentions = Static<typeof Mentions>

/** D36: what a message of a bot or webhook may notify where it does not say. */
export const usersOnly: AllowedMentions = Object.freeze({ parse: ['users' as const] })

/** What a person's message may notify where it does not say; what they may do is for their permissions to decide. */
export const anyMention: AllowedMentions = Object.freeze({ parse: [...kinds] })

// Code comes first, so that what stands in it is passed over: a mention shown as code notifies nobody.
const mention =
  /```[\s\S]*?```|`[^`\n]+`|<@([!&]?)([1-9][0-9]{16,19})>|(?<![\p{L}\p{N}_])@(?:everyone|here)(?![\p{L}\p{N}_])/gu

/** Whom a text mentions: `<@id>`, `<@!id>`, `<@&id>`, `@everyone`, `@here`. Only `content` is read, never an embed. */
export function parseMentions(content: string): Mentions {
  if (!content.includes('@')) return { users: [], roles: [], everyone: false }
  const users = new Set<string>()
  const roles = new Set<string>()
  let everyone = false
  for (const [text, sign, id] of content.matchAll(mention)) {
    if (id !== undefined) (sign === '&' ? roles : users).add(id)
    else if (text.startsWith('@')) everyone = true
  }
  return { users: [...users], roles: [...roles], everyone }
}

/**
 * Of those whom the text mentions, the ones that `allowed` lets it notify, or `fallback` where the request did not say.
 * Never anyone whom the text does not mention. `everyone` and `roles` still need MENTION_EVERYONE (D36).
 */
export function allow(
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

/** D46: those of `found` whom `original` notified too, for an edit that does not say whom it may notify. */
export function noMoreThan(found: Mentions, original: Mentions): Mentions {
  return {
    users: found.users.filter(id => original.users.includes(id)),
    roles: found.roles.filter(id => original.roles.includes(id)),
    everyone: found.everyone && original.everyone,
  }
}

export type MentionRule =
  | 'invalid_type'
  | 'invalid_choice'
  | 'invalid_format'
  | 'too_many'
  | 'conflict'
  | 'unknown_member'

interface MentionOptions {
  /** The member that holds the value: `allowedMentions` or `allowed_mentions`. */
  member: 'allowedMentions' | 'allowed_mentions'
}

/**
 * `allowed` is undefined where the value is absent or null, and where there are faults. Ids are each kept once. A kind
 * in `parse` and ids of the same kind exclude each other (check 4). Other members are refused natively and ignored in
 * the webhook dialect (D35).
 */
export function checkAllowedMentions(
  value: unknown,
  { member }: MentionOptions = { member: 'allowedMentions' },
): { allowed: AllowedMentions | undefined; faults: CheckFault<MentionRule>[] } {
  if (value === undefined || value === null) return { allowed: undefined, faults: [] }
  const faults: CheckFault<MentionRule>[] = []
  if (typeof value !== 'object' || Array.isArray(value)) {
    return {
      allowed: undefined,
      faults: [{ path: [member], rule: 'invalid_type', message: 'must be an object' }],
    }
  }
  const given: { parse?: unknown; users?: unknown; roles?: unknown } = value
  const parse = readKinds(given.parse, [member, 'parse'], faults)
  const users = readIds(given.users, [member, 'users'], faults)
  const roles = readIds(given.roles, [member, 'roles'], faults)
  for (const [kind, ids] of [['users', users] as const, ['roles', roles] as const]) {
    if (!parse.includes(kind) || ids.length === 0) continue
    const message = `${kind} is in parse already: ids of ${kind} and parse exclude each other`
    faults.push({ path: [member, kind], rule: 'conflict', message })
  }
  if (member === 'allowedMentions') {
    for (const key of Object.keys(value)) {
      if (key === 'parse' || key === 'users' || key === 'roles') continue
      faults.push({ path: [member, key], rule: 'unknown_member', message: 'is not known here' })
      if (faults.length > maxMentionIds) break
    }
  }
  return { allowed: faults.length > 0 ? undefined : { parse, users, roles }, faults }
}

function readKinds(value: unknown, path: Path, faults: CheckFault<MentionRule>[]): Kind[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    faults.push({ path, rule: 'invalid_type', message: 'must be an array' })
    return []
  }
  const found = kinds.filter(kind => value.includes(kind))
  const wrong = value.findIndex(item => !kinds.includes(item))
  if (wrong >= 0) {
    const message = 'must be "users", "roles" or "everyone"'
    faults.push({ path: [...path, wrong], rule: 'invalid_choice', message })
  }
  return found
}

function readIds(value: unknown, path: Path, faults: CheckFault<MentionRule>[]): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    faults.push({ path, rule: 'invalid_type', message: 'must be an array of ids' })
    return []
  }
  if (value.length > maxMentionIds) {
    const message = `must have at most ${maxMentionIds} ids`
    faults.push({ path, rule: 'too_many', message, limit: maxMentionIds })
    return []
  }
  const ids = new Set<string>()
  for (const [index, item] of value.entries()) {
    if (isId(item)) ids.add(item)
    else faults.push({ path: [...path, index], rule: 'invalid_format', message: 'must be an id' })
  }
  return [...ids]
}
