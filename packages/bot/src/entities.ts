import {
  type CommandDefinition,
  type CommandOptionDefinition,
  selectSubcommand,
  type WithOptions,
} from './commands.ts'
import type {
  AnyUser,
  CommandInteraction,
  InteractionOption,
  ResolvedChannel,
  ResolvedEntities,
  ResolvedMember,
  Role,
} from './types.ts'

/** A user whom the user of the interaction has chosen. `role` tells it from a role. */
export interface ChosenUser {
  readonly user: AnyUser
  readonly member: ResolvedMember
  readonly role?: undefined
}

/** A role that the user of the interaction has chosen where users are accepted too. */
export interface ChosenRole {
  readonly role: Role
  readonly user?: undefined
}

/** What the value of an option refers to, by the type of the option. */
interface EntityTypes {
  user: ChosenUser
  channel: ResolvedChannel
  role: Role
  mentionable: ChosenUser | ChosenRole
}

export type Entity = EntityTypes[keyof EntityTypes]

/**
 * The type of `ctx.entities`: one property per option of the definition whose type is user, channel, role or
 * mentionable. That of an option that is not required may be undefined.
 */
export type EntitiesOf<Definition extends WithOptions> = Definition extends {
  options: readonly (infer Option extends CommandOptionDefinition)[]
}
  ? {
      readonly [One in Extract<Option, { type: keyof EntityTypes }> as One['name']]: One extends {
        required: true
      }
        ? EntityTypes[One['type']]
        : EntityTypes[One['type']] | undefined
    }
  : WithOptions extends Definition
    ? { readonly [name: string]: Entity | undefined }
    : Readonly<Record<never, never>>

/** Returns what the options of an event refer to, by name. */
export function readEntities({ data }: Pick<CommandInteraction, 'data'>): EntitiesOf<CommandDefinition> {
  const { options, resolved = {} } = data
  return Object.fromEntries(
    selectSubcommand(options).values.flatMap(option => {
      const entity = findEntity(option, resolved)
      return entity ? [[option.name, entity]] : []
    }),
  )
}

/** Undefined for a value that is no id. */
function findEntity(
  { type, value }: Pick<InteractionOption, 'type' | 'value'>,
  { users, members, roles, channels }: ResolvedEntities,
): Entity | undefined {
  const id = String(value)
  const [user, member, role] = [users?.[id], members?.[id], roles?.[id]]
  const chosenUser = user && member && { user, member }
  switch (type) {
    case 'user':
      return chosenUser
    case 'channel':
      return channels?.[id]
    case 'role':
      return role
    case 'mentionable':
      return role ? { role } : chosenUser
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return undefined
  }
}
