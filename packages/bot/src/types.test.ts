import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkComponents } from '@gatehouse/protocol/components'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import { checkModal } from '@gatehouse/protocol/modals'
import type { BotApi } from './api.ts'
import type { AutocompleteArguments, AutocompleteContext, AutocompleteHandlers } from './autocomplete.ts'
import {
  button,
  channelSelect,
  embed,
  link,
  mentionableSelect,
  modal,
  roleSelect,
  row,
  stringSelect,
  textInput,
  userSelect,
} from './builders.ts'
import type { CommandDefinition, OptionsOf } from './commands.ts'
import type {
  AnyContext,
  ButtonContext,
  CommandContext,
  CommandContextOf,
  SelectContext,
} from './contexts.ts'
import type { ParamsOf } from './custom-ids.ts'
import type { ChosenRole, ChosenUser, EntitiesOf } from './entities.ts'
import type { ReplyEdit } from './reply.ts'
import type { ErrorHandler, Middleware } from './router.ts'
import type {
  Button,
  ButtonInteraction,
  CallbackBody,
  CommandInteraction,
  Component,
  InteractionEvent,
  InteractionSubcommandGroup,
  LinkButton,
  Message,
  Modal,
  ModalInteraction,
  RegisteredCommand,
  RegisteredSubcommand,
  ResolvedChannel,
  ResponseData,
  Role,
  SelectInteraction,
  StringSelect,
} from './types.ts'
import type { Webhook } from './webhook.ts'

// The compiler checks this part.

/** Whether `Given` is assignable to `Wanted`. */
type Fits<Given, Wanted> = [Given] extends [Wanted] ? true : false
type Same<One, Other> = [Fits<One, Other>, Fits<Other, One>]
type Is<Truth extends true> = Truth
type IsNot<Truth extends false> = Truth
type Are<Truths extends [true, true]> = Truths

/** What remains of an event and of a component after a comparison of its `type` or `style`. */
export type Narrowed = [
  Are<Same<Extract<InteractionEvent, { type: 'modal_submit' }>, ModalInteraction>>,
  Are<Same<Extract<InteractionEvent, { type: 'component' }>, ButtonInteraction | SelectInteraction>>,
  Are<Same<Extract<Component, { type: 'button' }>, Button>>,
  Are<Same<Extract<Component, { type: 'string_select' }>, StringSelect>>,
  Are<Same<Extract<Button, { style: 'link' }>, LinkButton>>,
  Are<Same<Extract<CallbackBody, { type: 'modal' }>['data'], Modal>>,
  Are<Same<Extract<RegisteredCommand['options'][number], { type: 'subcommand' }>, RegisteredSubcommand>>,
  Are<
    Same<
      Extract<CommandInteraction['data']['options'][number], { type: 'subcommand_group' }>,
      InteractionSubcommandGroup
    >
  >,
]

/** A bot can send again what it has received. */
export type Resendable = Is<Fits<Pick<Message, 'content' | 'embeds' | 'components'>, ResponseData>>

/** A text is not taken for an id: what takes ids takes the message as an object. */
export type OneMessage = [
  Are<Same<Parameters<CommandContext['edit']>, [message: string | ReplyEdit]>>,
  IsNot<Fits<[string, string], Parameters<BotApi['messages']['create']>>>,
  IsNot<Fits<[string, string], Parameters<BotApi['sendMessage']>>>,
  IsNot<Fits<[string, string, string], Parameters<BotApi['messages']['update']>>>,
  IsNot<Fits<[string, string, string], Parameters<BotApi['editMessage']>>>,
  IsNot<Fits<[string, string], Parameters<Webhook['edit']>>>,
]

type Options = OptionsOf<{
  name: 'x'
  description: 'x'
  options: readonly [
    { type: 'integer'; name: 'sides'; description: 'x'; required: true },
    { type: 'string'; name: 'colour'; description: 'x'; choices: readonly [{ name: 'Red'; value: 'red' }] },
    { type: 'user'; name: 'who'; description: 'x' },
    { type: 'boolean'; name: 'quiet'; description: 'x'; required: false },
  ]
}>

export type Inferred = Are<
  Same<
    Options,
    {
      readonly sides: number
      readonly colour: 'red' | undefined
      readonly who: string | undefined
      readonly quiet: boolean | undefined
    }
  >
>

interface Entities {
  name: 'x'
  description: 'x'
  options: readonly [
    { type: 'mentionable'; name: 'whom'; description: 'x'; required: true },
    { type: 'user'; name: 'who'; description: 'x' },
    { type: 'channel'; name: 'where'; description: 'x' },
    { type: 'role'; name: 'as'; description: 'x'; required: true },
    { type: 'string'; name: 'why'; description: 'x' },
  ]
}

export type InferredEntities = [
  Are<
    Same<
      EntitiesOf<Entities>,
      {
        readonly whom: ChosenUser | ChosenRole
        readonly who: ChosenUser | undefined
        readonly where: ResolvedChannel | undefined
        readonly as: Role
      }
    >
  >,
  Are<Same<OptionsOf<Entities>['whom'], string>>,
  Are<Same<Extract<Contexts, { subcommand: 'role add' }>['entities'], { readonly role: Role }>>,
  Are<Same<Extract<Contexts, { subcommand: 'list' }>['entities'], Readonly<Record<never, never>>>>,
]

interface Config {
  name: 'config'
  description: 'x'
  options: readonly [
    {
      type: 'subcommand_group'
      name: 'role'
      description: 'x'
      options: readonly [
        {
          type: 'subcommand'
          name: 'add'
          description: 'x'
          options: readonly [{ type: 'role'; name: 'role'; description: 'x'; required: true }]
        },
        { type: 'subcommand'; name: 'clear'; description: 'x' },
      ]
    },
    {
      type: 'subcommand'
      name: 'list'
      description: 'x'
      options: readonly [{ type: 'integer'; name: 'page'; description: 'x' }]
    },
  ]
}

type Contexts = CommandContextOf<Config>

export type InferredSubcommands = [
  ...Are<Same<Contexts['subcommand'], 'role add' | 'role clear' | 'list'>>,
  ...Are<Same<Extract<Contexts, { subcommand: 'role add' }>['options'], { readonly role: string }>>,
  ...Are<Same<Extract<Contexts, { subcommand: 'list' }>['options'], { readonly page: number | undefined }>>,
]

interface Play {
  name: 'play'
  description: 'x'
  options: readonly [
    { type: 'string'; name: 'artist'; description: 'x'; required: true },
    { type: 'string'; name: 'song'; description: 'x'; autocomplete: true },
    { type: 'integer'; name: 'year'; description: 'x'; autocomplete: true },
  ]
}

interface Library {
  name: 'library'
  description: 'x'
  options: readonly [
    {
      type: 'subcommand_group'
      name: 'song'
      description: 'x'
      options: readonly [
        {
          type: 'subcommand'
          name: 'add'
          description: 'x'
          options: readonly [{ type: 'number'; name: 'rating'; description: 'x'; autocomplete: true }]
        },
        { type: 'subcommand'; name: 'clear'; description: 'x' },
      ]
    },
    { type: 'subcommand'; name: 'open'; description: 'x'; options: Play['options'] },
  ]
}

type Suggested<Value extends string | number> = Value | { readonly name: string; readonly value: Value }
type Handler<Options, Value extends string | number> = (
  ctx: AutocompleteContext<Options>,
) => readonly Suggested<Value>[]
interface PlayHandlers {
  song: Handler<{ readonly artist: string | undefined; readonly year: number | undefined }, string>
  year: Handler<{ readonly artist: string | undefined; readonly song: string | undefined }, number>
}
interface LibraryHandlers {
  'song add': { rating: Handler<Readonly<Record<never, never>>, number> }
  open: PlayHandlers
}

/** The last argument of `bot.command`: handlers with the value of the option and the other options. */
export type InferredAutocomplete = [
  Is<Fits<[PlayHandlers], AutocompleteArguments<Play>>>,
  Is<Fits<[LibraryHandlers], AutocompleteArguments<Library>>>,
  Is<Fits<AutocompleteArguments<Config>, []>>,
  Are<Same<AutocompleteArguments<CommandDefinition>, [autocomplete?: AutocompleteHandlers]>>,
]

export type RejectedAutocomplete = [
  // A handler is missing.
  IsNot<Fits<[], AutocompleteArguments<Play>>>,
  IsNot<Fits<[Pick<PlayHandlers, 'song'>], AutocompleteArguments<Play>>>,
  IsNot<Fits<[Pick<LibraryHandlers, 'open'>], AutocompleteArguments<Library>>>,
  // A value of another type.
  IsNot<Fits<[Omit<PlayHandlers, 'song'> & { song: Handler<unknown, number> }], AutocompleteArguments<Play>>>,
  // Options that may be undefined.
  IsNot<
    Fits<
      [Omit<PlayHandlers, 'song'> & { song: Handler<{ artist: string }, string> }],
      AutocompleteArguments<Play>
    >
  >,
]

/** The context of any command or button is assignable to the general type. */
export type General = [
  IsNot<Fits<AutocompleteContext, AnyContext>>,
  Is<Fits<(ctx: AnyContext) => ReturnType<AnyContext['reply']>, Middleware>>,
  Is<Fits<(error: unknown, ctx: AnyContext) => ReturnType<AnyContext['reply']>, ErrorHandler>>,
  Is<Fits<CommandContext<Options>, CommandContext>>,
  Is<Fits<Contexts, CommandContext>>,
  Is<Fits<CommandContextOf<CommandDefinition>, CommandContext>>,
  Is<Fits<CommandContext<OptionsOf<{ name: 'x'; description: 'x' }>>, CommandContext>>,
  Is<Fits<ButtonContext<ParamsOf<'vote:{choice}'>>, ButtonContext>>,
  Is<Fits<ButtonContext<ParamsOf<'press'>>, ButtonContext>>,
  Is<Fits<SelectContext<ParamsOf<'vote:{choice}'>>, SelectContext>>,
]

test('the service accepts the results of the builders', () => {
  const rows = [
    row(
      button('vote:tea', 'Tea', { style: 'primary', emoji: '🍵' }),
      button('vote:none', 'None', { disabled: true }),
    ),
    row(link('https://example.org/', 'Read more')),
    row(
      stringSelect('teas', ['Green', { label: 'Black', value: 'black', default: true }], {
        placeholder: 'Teas',
        minValues: 0,
        maxValues: 2,
      }),
    ),
    row(userSelect('who', { maxValues: 25 })),
    row(roleSelect('role')),
  ]
  assert.deepEqual(checkComponents(rows).violations, [])
  assert.deepEqual(checkComponents([row(mentionableSelect('whom'))]).violations, [])
  assert.deepEqual(checkComponents([row(channelSelect('where', { disabled: true }))]).violations, [])
  const dialog = modal(
    'report:{id}',
    'Report',
    textInput('reason', 'Reason', { minLength: 2, maxLength: 100 }),
    textInput('details', 'Details', { style: 'paragraph', required: false, placeholder: 'More', value: 'x' }),
  )
  assert.deepEqual(checkModal(dialog).violations, [])
  const card = embed({
    title: 'Tea',
    color: 0x00_80_40,
    fields: [{ name: 'Votes', value: '3', inline: true }],
  })
  assert.deepEqual(checkEmbeds([card]).violations, [])
})
