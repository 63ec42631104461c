import * as v from 'valibot'
import type { Path, Violation } from './field-errors.ts'
import { isAbsent, isJsonObject, type JsonObject } from './json-object.ts'
import {
  converted,
  nullish,
  object,
  optional,
  readString,
  type Schema,
  shownAs,
  string,
  text,
} from './wire.ts'

/** What the definitions of components and modals have in common. */

/**
 * `response`: an object of the service. `request`: an object of a bot; null is absent, and so is `''` for an optional
 * text.
 */
export type ComponentMode = 'response' | 'request'

/**
 * What only a translation from another API says of a component, and only a translation to it reads. It is stored with
 * the component, and our API does not have it.
 */
export interface TranslatedMembers {
  /** The id that the bot gave it. */
  id?: number
  /** A row of a modal that is a label in that API. */
  isLabel?: true
}

/** The key of these members in a component of a request: JSON cannot contain it. */
export const translated = Symbol('translated')

/**
 * An object, which rejects unknown members. In a request, an absent `type` or `style` is a wrong one
 * (`invalid_choice`). `elsewhere`: the members that are not accepted here, each with what accepts them.
 */
/* @__NO_SIDE_EFFECTS__ */
export function closedObjectIn<const Entries extends v.ObjectEntries>(
  mode: ComponentMode,
  entries: Entries,
  description: string,
  elsewhere: Readonly<Record<string, string>> = {},
) {
  const schema = object(entries, description)
  if (mode === 'response') return schema
  const rejected = Object.entries(elsewhere).map(
    ([name, others]) => [name, optional(onlyFor(others))] as const,
  )
  const members: v.ObjectEntries = { ...entries, ...Object.fromEntries(rejected) }
  const choices = ['type', 'style'].filter(name => name in entries).map(name => [name, null] as const)
  const validated = converted(object(members), given => {
    if (!isJsonObject(given)) return given
    const present = Object.entries(given).filter(
      ([name, value]) => !(isAbsent(value) && Object.hasOwn(members, name)),
    )
    return Object.fromEntries([...choices, ...present])
  })
  const withTranslated = v.lazy(given => {
    const added = isJsonObject(given) ? readTranslated(given) : undefined
    if (added === undefined) return validated
    return v.pipe(
      validated,
      v.transform(value => ({ ...value, ...added })),
    )
  })
  // The API document shows neither these members nor `elsewhere`.
  return shownAs(withTranslated as Schema as typeof schema, schema)
}

function readTranslated(given: JsonObject & { [translated]?: TranslatedMembers }) {
  return given[translated]
}

/** Rejects each value. */
function onlyFor(others: string) {
  const violation = { code: 'not_allowed', message: `is accepted only for ${others}` } as const
  return readString(() => ({ violation }), 'Nothing.', {})
}

/** A text of one line. `keep`: not trimmed, because the interaction contains it and the bot compares it. */
/* @__NO_SIDE_EFFECTS__ */
export function line(mode: ComponentMode, max: number, description: string, clean: 'name' | 'keep' = 'name') {
  if (mode === 'response') return string(description, { maxLength: max })
  return text({ min: 1, max, clean, description, empty: 'required' })
}

/* @__NO_SIDE_EFFECTS__ */
export function optionalLine(mode: ComponentMode, max: number, description: string) {
  if (mode === 'response') return optional(string(description, { maxLength: max }))
  return nullish(text({ max, clean: 'name', empty: 'absent' }), description)
}

/* @__NO_SIDE_EFFECTS__ */
export function optionalIn<S extends Schema>(mode: ComponentMode, schema: S) {
  return mode === 'response' ? optional(schema) : nullish(schema)
}

/** A violation for each value that is equal to an earlier one. Absent values differ. */
export function findDuplicates(found: readonly { path: Path; value: string | undefined }[]): Violation[] {
  const seen = new Set<string>()
  return found.flatMap(({ path, value }): Violation[] => {
    if (value === undefined) return []
    const message = `must differ from every other "${path.at(-1)}"`
    if (seen.has(value)) return [{ path, code: 'duplicate', message }]
    seen.add(value)
    return []
  })
}

/** The rows of a message or modal, as far as they could be read. */
interface Identified {
  components?: readonly ({ type?: string; customId?: string } | undefined)[]
}

/** Each `customId` occurs once in the rows of a message or modal. */
export function checkCustomIds(rows: readonly (Identified | undefined)[]): Violation[] {
  const found = rows.flatMap((row, index) =>
    (row?.components ?? []).map((component, at) => ({
      path: [index, 'components', at, 'customId'],
      value: component?.customId,
    })),
  )
  return findDuplicates(found)
}
