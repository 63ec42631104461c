import type { CommandOption, Option } from '@gatehouse/protocol/commands'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { EnteredOption, SlashCommandData } from '@gatehouse/protocol/interactions'
import { checkOptions, toEventOptions } from '@gatehouse/protocol/option-values'
import { optionReferences } from '@gatehouse/protocol/references'
import { invalidAll } from '../errors/app-error.ts'
import { type EntityLookup, lookUpReferences } from './resolved-entities.ts'

export interface ValidatedOptions {
  /** The names of group and subcommand. */
  subcommand: readonly string[]
  /** What the bot receives. */
  data: Pick<SlashCommandData, 'options' | 'resolved'>
  /** The option in which the user types. */
  focused: Option | undefined
}

/**
 * Validates the options of a command as `checkOptions`, and the ids in them (bots/option-values). Throws 400 with all
 * errors.
 */
export async function validateOptions(
  definitions: readonly CommandOption[],
  given: readonly EnteredOption[],
  lookup: EntityLookup,
  focused?: string,
): Promise<ValidatedOptions> {
  const checked = checkOptions(definitions, given, focused)
  const { resolved, violations } = await lookUpReferences(lookup, optionReferences(checked.values))
  const all = [...checked.violations, ...violations]
  if (all.length > 0) throw invalidAll(toFieldErrors(all))
  return {
    subcommand: checked.subcommands.map(({ name }) => name),
    data: { options: toEventOptions(checked), ...(resolved && { resolved }) },
    focused: checked.focused,
  }
}
