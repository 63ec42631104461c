import type { CommandOption, Option, OptionType } from '@gatehouse/protocol/commands'
import { toFieldErrors, type Violation } from '@gatehouse/protocol/field-errors'
import type { EnteredOption, EventOption } from '@gatehouse/protocol/interactions'
import {
  type CheckedValue,
  checkOptions,
  toEventOptions,
  withOptionName,
} from '@gatehouse/protocol/option-values'
import { invalidAll } from '../errors/app-error.ts'

/** Each function returns the ids that the user may choose. It is called at most once per request. */
export interface ReferenceLookup {
  /** Members of the server. */
  users(ids: readonly string[]): Promise<readonly string[]>
  /** Channels of the server that the user may view. */
  channels(ids: readonly string[]): Promise<readonly string[]>
  /** Roles of the server. */
  roles(ids: readonly string[]): Promise<readonly string[]>
}

/**
 * Validates the options of a command as `checkOptions`, and the ids in them (bots/option-values). Returns the options
 * as the bot receives them, and the names of group and subcommand. Throws 400 with all errors.
 */
export async function validateOptions(
  definitions: readonly CommandOption[],
  given: readonly EnteredOption[],
  lookup: ReferenceLookup,
  focused?: string,
): Promise<{ subcommand: readonly string[]; options: EventOption[]; focused: Option | undefined }> {
  const checked = checkOptions(definitions, given, focused)
  const violations = [...checked.violations, ...(await checkReferences(checked.values, lookup))]
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  return {
    subcommand: checked.subcommands.map(({ name }) => name),
    options: toEventOptions(checked),
    focused: checked.focused,
  }
}

interface Reference {
  lookup: keyof ReferenceLookup
  code: string
  message: string
}

/** The types of options whose value is an id, and the errors for ids that do not refer to what the user may choose. */
export const references = {
  user: { lookup: 'users', code: 'unknown_user', message: 'must be a member of this server' },
  channel: {
    lookup: 'channels',
    code: 'unknown_channel',
    message: 'must be a channel of this server that you may view',
  },
  role: { lookup: 'roles', code: 'unknown_role', message: 'must be a role of this server' },
} as const satisfies Record<Exclude<OptionType, 'string' | 'integer' | 'number' | 'boolean'>, Reference>

async function checkReferences(
  values: readonly CheckedValue[],
  lookups: ReferenceLookup,
): Promise<Violation<string>[]> {
  const violations: Violation<string>[] = []
  for (const [type, { lookup, code, message }] of Object.entries(references)) {
    const given = values.filter(value => value.type === type)
    if (given.length === 0) continue
    const known = await lookups[lookup]([...new Set(given.map(({ value }) => String(value)))])
    for (const { name, value, path } of given) {
      if (known.includes(String(value))) continue
      violations.push({ path, ...withOptionName(name, { code, message }) })
    }
  }
  return violations
}
