import type { OptionType } from './commands.ts'
import type { EntitySelect } from './components.ts'
import type { Path, Violation } from './field-errors.ts'
import type { ResolvedEntities } from './interactions.ts'
import { type CheckedValue, withOptionName } from './option-values.ts'

/** What an id can refer to. */
export type EntityKind = 'users' | 'roles' | 'channels'

/** The types of options whose value is an id. */
type ReferenceType = Exclude<OptionType, 'string' | 'integer' | 'number' | 'boolean'>

/** What the id of each type may refer to, and the error for one that does not refer to what the user may choose. */
const referenceTypes: Readonly<
  Record<ReferenceType, { kinds: readonly EntityKind[]; code: string; message: string }>
> = {
  user: { kinds: ['users'], code: 'unknown_user', message: 'must be a member of this server' },
  channel: {
    kinds: ['channels'],
    code: 'unknown_channel',
    message: 'must be a channel of this server that you may view',
  },
  role: { kinds: ['roles'], code: 'unknown_role', message: 'must be a role of this server' },
  mentionable: {
    kinds: ['users', 'roles'],
    code: 'unknown_mentionable',
    message: 'must be a member or a role of this server',
  },
}

const selectedTypes: Readonly<Record<EntitySelect['type'], ReferenceType>> = {
  user_select: 'user',
  role_select: 'role',
  channel_select: 'channel',
  mentionable_select: 'mentionable',
}

/** An id that a user entered or selected. */
export interface Reference {
  type: ReferenceType
  id: string
  /** Its place in the request. */
  path: Path
  /** The name of the option that has it. */
  option?: string
}

/** The ids in the values of options. */
export function optionReferences(values: readonly CheckedValue[]): Reference[] {
  return values.flatMap(({ name, type, value, path }) =>
    isReferenceType(type) ? [{ type, id: String(value), path, option: name }] : [],
  )
}

function isReferenceType(type: OptionType): type is ReferenceType {
  return Object.hasOwn(referenceTypes, type)
}

/** The ids that a user selected in a menu. */
export function selectReferences(type: EntitySelect['type'], values: readonly string[]): Reference[] {
  return values.map((id, index) => ({ type: selectedTypes[type], id, path: ['values', index] }))
}

/** Each id that may refer to something of this kind, once. */
export function idsOfKind(references: readonly Reference[], kind: EntityKind): string[] {
  const found = references.filter(({ type }) => referenceTypes[type].kinds.includes(kind))
  return [...new Set(found.map(({ id }) => id))]
}

/**
 * What the ids refer to, without empty members, and a violation for each id that is not in `found`, which is what the
 * user may choose (bots/resolved).
 */
export function resolveReferences(
  references: readonly Reference[],
  found: ResolvedEntities,
): { resolved: ResolvedEntities | undefined; violations: Violation<string>[] } {
  const violations = references.flatMap(({ type, id, path, option }) => {
    const { kinds, code, message } = referenceTypes[type]
    if (kinds.some(kind => Object.hasOwn(found[kind] ?? {}, id))) return []
    const details = { code, message }
    return [{ path, ...(option === undefined ? details : withOptionName(option, details)) }]
  })
  const members = Object.entries(found).filter(([, entities]) => Object.keys(entities).length > 0)
  return { resolved: members.length === 0 ? undefined : Object.fromEntries(members), violations }
}
