import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OwnApplication, UpdateOwnApplicationBody } from '@gatehouse/protocol/applications'
import * as channels from '@gatehouse/protocol/channels'
import * as commands from '@gatehouse/protocol/commands'
import { BotGatewayResponse } from '@gatehouse/protocol/gateway'
import { botEvents } from '@gatehouse/protocol/gateway-events'
import { intents } from '@gatehouse/protocol/intents'
import { NamedCallback, ResponseData } from '@gatehouse/protocol/interactions'
import { Modal } from '@gatehouse/protocol/modals'
import { ReportDetails } from '@gatehouse/protocol/reports'
import * as servers from '@gatehouse/protocol/servers'
import * as webhooks from '@gatehouse/protocol/webhooks'
import { object, oneOf } from '@gatehouse/protocol/wire'
import { createSchemaWriter } from '@gatehouse/testkit/documents'

/** `npm run docs` writes the types of the bot library, and `npm run check` reports whether they are up to date. */

const unnamed = {
  EventPayloads: object(botEvents, 'The payloads of the events of a bot.'),
  Intent: oneOf(
    intents,
    'What a bot receives besides interactions. `members` and `messageContent` are switched ' +
      'on in the developer console.',
  ),
}

/** Types that no event contains. Those that they contain are written too. */
const named = [
  ...[
    commands.ContextCommandType,
    commands.RegisteredCommand,
    commands.ServerCommand,
    commands.CommandOverride,
  ],
  ...[OwnApplication, UpdateOwnApplicationBody],
  ...[ResponseData, NamedCallback, Modal, BotGatewayResponse],
  ...[channels.CreateChannelBody, channels.UpdateChannelBody, channels.ChannelMove],
  ...[servers.UserServer, servers.CreateRoleBody, servers.RoleMove],
  ...[
    servers.UpdateMemberBody,
    servers.Ban,
    servers.CreateBanBody,
    servers.CreateBansBody,
    servers.CreatedBans,
  ],
  ...[servers.CreateInviteBody, servers.Invite],
  ...[
    servers.ServerInvite,
    servers.InvitePreview,
    servers.Integration,
    ReportDetails,
    servers.UpdateServerBody,
  ],
  ...[webhooks.CreateWebhookBody, webhooks.UpdateWebhookBody, webhooks.Webhook, webhooks.WebhookDelivery],
]

/** The names of schemas that the API document names differently. By default, `Input` at the end is omitted. */
const renamed: Readonly<Record<string, string>> = {
  BotGatewayResponse: 'BotGateway',
  CommandInteraction: 'UsedCommandInteraction',
  ContextCommandType: 'MenuCommandType',
  CreateBanBody: 'BanData',
  CreateBansBody: 'BansData',
  CreateChannelBody: 'ChannelData',
  CreateInviteBody: 'InviteData',
  CreateRoleBody: 'RoleData',
  CreateWebhookBody: 'WebhookData',
  EventSubcommand: 'InteractionSubcommand',
  EventSubcommandGroup: 'InteractionSubcommandGroup',
  EventValueOption: 'InteractionOption',
  InteractionUser: 'User',
  Member: 'ServerMember',
  MemberEvent: 'Member',
  ModalSubmitInteraction: 'ModalInteraction',
  NamedCallback: 'CallbackBody',
  Option: 'RegisteredOption',
  Subcommand: 'RegisteredSubcommand',
  SubcommandGroup: 'RegisteredSubcommandGroup',
  TextInput: 'TextInput',
  UpdateChannelBody: 'ChannelChanges',
  UpdateMemberBody: 'MemberChanges',
  UpdateOwnApplicationBody: 'OwnApplicationChanges',
  UpdateServerBody: 'ServerChanges',
  UpdateWebhookBody: 'WebhookChanges',
  User: 'AnyUser',
  UserServer: 'OwnServer',
  Webhook: 'ChannelWebhook',
}

/**
 * What a bot both sends and receives has one type. Of a button it is that of a request, because it has a type for each
 * style.
 */
const replaced: Readonly<Record<string, string>> = {
  Button: 'ButtonInput',
  EmbedInput: 'Embed',
  ModalInput: 'Modal',
  RowInput: 'Row',
}

/** The types whose lists are readonly: what a bot sends, and commands, which are compared with its definitions. */
const withReadonlyLists =
  /^(AutocompleteData|ResponseData|RegisteredCommand|Option|Subcommand|SubcommandGroup)$/

interface Json {
  $ref?: string
  description?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  allOf?: readonly Json[]
  anyOf?: readonly Json[]
  oneOf?: readonly Json[]
  items?: Json
  properties?: Readonly<Record<string, Json>>
  required?: readonly string[]
  additionalProperties?: Json | boolean
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

function writeBotTypes(): string {
  const { write, components } = createSchemaWriter({ extensions: true })
  const declarations = new Map<string, string>()
  const references = named.map(write)
  for (const [name, schema] of Object.entries(unnamed)) declare(name, write(schema))
  for (const reference of references) typeOf(reference, '')

  /** The schema of a reference, and its name in the API document. */
  function resolve(ref: string): { name: string; schema: Json } {
    const shown = ref.replace('#/components/schemas/', '')
    const name = replaced[shown] ?? shown
    const schema = components.get(name)
    if (schema === undefined) throw new Error(`the API document has no schema ${name}`)
    return { name, schema }
  }

  /** Declares a type once. Returns its name. */
  function declare(name: string, schema: Json): string {
    const own = renamed[name] ?? name.replace(/Input$/, '')
    if (declarations.has(own)) return own
    declarations.set(own, '')
    const [base, added = schema] = schema.allOf ?? []
    const type = added.properties
      ? `interface ${own} ${base ? `extends ${typeOf(base, name)}` : ''} ${typeOfObject(added, name)}`
      : `type ${own} = ${typeOf(schema, name)}`
    declarations.set(own, `${comment(schema)}export ${type}\n`)
    return own
  }

  /** `owner`: the schema that contains this one. */
  function typeOf(schema: Json, owner: string): string {
    return [...new Set(choices(schema, owner))].join(' | ')
  }

  function choices(schema: Json, owner: string): string[] {
    const { $ref, allOf, oneOf, anyOf = oneOf, type = 'unknown' } = schema
    if ($ref !== undefined) {
      const target = resolve($ref)
      return hasName(target.name, target.schema)
        ? [declare(target.name, target.schema)]
        : choices(target.schema, owner)
    }
    if (allOf) return [allOf.map(part => typeOf(part, owner)).join(' & ')]
    if (anyOf) return anyOf.flatMap(part => choices(part, owner))
    if (schema.enum) return schema.enum.map(value => JSON.stringify(value))
    return [type].flat().map(each => {
      if (each === 'array') return typeOfList(schema, owner)
      if (each === 'object') return typeOfObject(schema, owner)
      return each === 'integer' ? 'number' : each
    })
  }

  function typeOfList({ items = {}, maxItems }: Json, owner: string): string {
    if (maxItems === 0) return '[]'
    return `${withReadonlyLists.test(owner) ? 'readonly ' : ''}(${typeOf(items, owner)})[]`
  }

  function typeOfObject(
    { properties = {}, required = [], additionalProperties }: Json,
    owner: string,
  ): string {
    if (typeof additionalProperties === 'object') {
      return `Readonly<Record<string, ${typeOf(additionalProperties, owner)}>>`
    }
    const members = Object.entries(properties).map(([name, member]) => {
      const isRequired = required.includes(name)
      const type = typeOf(member, owner)
      // Null is the same as absent, and what the service sends has no such null.
      const shown = owner.endsWith('Input') && !isRequired ? type.replace(/(?: \| )?\bnull$/, '') : type
      return shown === '' ? '' : `${comment(member)}${name}${isRequired ? '' : '?'}: ${shown}\n`
    })
    return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}}`
  }

  /** Objects and unions of objects have a name. Other types are written where they are used. */
  function hasName(name: string, { properties, allOf, oneOf, anyOf = oneOf }: Json): boolean {
    return name in renamed || Boolean(properties ?? allOf ?? anyOf?.every(({ type }) => type !== 'null'))
  }

  /** The description of a member or else of its schema, and the limits that it does not name. */
  function comment(schema: Json): string {
    const target = schema.$ref === undefined ? schema : resolve(schema.$ref).schema
    const { description = target.description ?? '' } = schema
    const limits = [
      range(target.minLength, target.maxLength, ' characters'),
      range(target.minItems, target.maxItems, ' entries'),
      range(target.minimum, target.maximum, ''),
    ]
    const unnamed = limits.filter(
      limit => limit !== '' && !description.includes(limit.match(/\d+/g)?.at(-1) ?? ''),
    )
    const text = [description, ...unnamed].join(' ').trim()
    return text === '' ? '' : `/** ${text} */\n`
  }

  return [
    '// Generated by `npm run docs` from the definitions of the protocol. `npm run check` ' +
      'fails if it is out of date.\n',
    ...[...declarations].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, declaration]) => declaration),
  ].join('\n')
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined || max <= 1) return ''
  if (min === max) return `${max}${unit}.`
  return min === undefined || (min === 0 && unit !== '') ? `Up to ${max}${unit}.` : `${min} to ${max}${unit}.`
}

const root = join(import.meta.dirname, '../..')
const file = 'packages/bot/src/wire-types.ts'

function formatted(text: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'format', `--stdin-file-path=${file}`]
  return execFileSync(process.execPath, args, { cwd: root, input: text, encoding: 'utf8' })
}

export function checkBotTypes(): string[] {
  const isCurrent = readFileSync(join(root, file), 'utf8') === formatted(writeBotTypes())
  return isCurrent ? [] : [`${file} is out of date. Run \`npm run docs\`.`]
}

if (import.meta.main) writeFileSync(join(root, file), formatted(writeBotTypes()))
