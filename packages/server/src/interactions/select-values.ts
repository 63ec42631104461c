import type { Select } from '@gatehouse/protocol/components'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { SelectData } from '@gatehouse/protocol/interactions'
import { selectReferences } from '@gatehouse/protocol/references'
import { checkSelectValues } from '@gatehouse/protocol/select-values'
import { invalidAll } from '../errors/app-error.ts'
import { type EntityLookup, lookUpReferences } from './resolved-entities.ts'

/**
 * Validates what a user selected in a menu (bots/select-values). Throws 400 with paths such as `values[0]`. A direct
 * message has no roles and no channels.
 */
export async function resolveSelect(
  lookup: EntityLookup,
  select: Select,
  given: readonly string[] | undefined,
): Promise<SelectData> {
  const { values, violations } = checkSelectValues(select, given)
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  const data = { customId: select.customId, componentType: select.type, values }
  if (select.type === 'string_select') return data
  const found = await lookUpReferences(lookup, selectReferences(select.type, values))
  if (found.violations.length > 0) throw invalidAll(toFieldErrors(found.violations))
  return { ...data, ...(found.resolved && { resolved: found.resolved }) }
}
