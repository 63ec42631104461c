import * as v from 'valibot'
import {
  type ComponentMode,
  checkCustomIds,
  closedObjectIn,
  findDuplicates,
  line,
  optionalIn,
  optionalLine,
} from './component-members.ts'
import { oneOf as notOneOf, required, tooFew, tooMany, type Violation } from './field-errors.ts'
import { Id } from './ids.ts'
import * as limits from './limits.ts'
import { parsePartly } from './parse.ts'
import {
  boolean,
  constant,
  described,
  ignored,
  integer,
  list,
  nullable,
  nullish,
  object,
  oneOf,
  optional,
  rule,
  type Schema,
  string,
  text,
  url,
  variant,
} from './wire.ts'

export const buttonStyles = ['primary', 'secondary', 'success', 'danger', 'link'] as const

export const ButtonStyle = oneOf(buttonStyles, '`link` has `url`, the others `customId`.')
export type ButtonStyle = v.InferOutput<typeof ButtonStyle>

const customIdText = 'Unique in the message. The interaction contains it.'
export const CustomId = line('response', limits.maxCustomId, customIdText, 'keep')
export const CustomIdInput = line('request', limits.maxCustomId, customIdText, 'keep')

/** The types of select menus in which the user selects users, roles or channels instead of options. */
export const entitySelectTypes = [
  'user_select',
  'role_select',
  'channel_select',
  'mentionable_select',
] as const
export const selectTypes = ['string_select', ...entitySelectTypes] as const
export type SelectType = (typeof selectTypes)[number]
const componentTypes = ['button', ...selectTypes] as const

/* @__NO_SIDE_EFFECTS__ */
function emoji(mode: ComponentMode) {
  if (mode === 'response') return optionalLine(mode, limits.maxEmoji, 'One emoji.')
  const one = v.pipe(
    text({ max: limits.maxEmoji, clean: 'name', empty: 'absent' }),
    rule(given =>
      given === undefined || isEmoji(given)
        ? []
        : [{ path: [], code: 'invalid_emoji', message: 'must be one emoji' }],
    ),
  )
  return nullish(one as unknown as v.StringSchema<undefined>, 'One emoji.')
}

/** `target`: the style, and what pressing the button does. */
/* @__NO_SIDE_EFFECTS__ */
function button<const Target extends v.ObjectEntries>(
  mode: ComponentMode,
  target: Target,
  description: string,
  elsewhere?: Readonly<Record<string, string>>,
) {
  const entries = {
    type: constant('button', 'The type of the component.'),
    label: optionalLine(mode, limits.maxButtonLabel, 'The text; required without an emoji.'),
    emoji: emoji(mode),
    ...target,
    disabled: optionalIn(mode, boolean('Whether it cannot be pressed.')),
  }
  const schema = closedObjectIn(mode, entries, description, elsewhere)
  return mode === 'response' ? schema : withFace(schema)
}

/** Requires a label or an emoji, if both have no other violation. */
/* @__NO_SIDE_EFFECTS__ */
function withFace<S extends Schema>(schema: S): S {
  const face = rule<object>(
    given =>
      'label' in given || 'emoji' in given
        ? []
        : [{ path: ['label'], ...required, message: 'is required for a button without an emoji' }],
    { always: true, compared: ['label', 'emoji'] },
  )
  return v.pipe(schema as v.GenericSchema<object>, face) as unknown as S
}

const address = 'The URL that it opens: http or https.'

export const Button = button(
  'response',
  {
    style: ButtonStyle,
    customId: optional(CustomId),
    url: optional(string(address, { format: 'uri', maxLength: limits.maxButtonUrl })),
  },
  'A button with a label, an emoji or both.',
)
export type Button = v.InferOutput<typeof Button>

/** A button of a request that opens a URL. */
export const LinkButtonInput = button(
  'request',
  {
    style: constant('link', 'The style of a button that opens a URL.'),
    url: v.pipe(
      url(address, limits.maxButtonUrl),
      rule(given => (given === undefined ? [{ path: [], ...required }] : [])),
    ),
  },
  'A button that opens a URL.',
  { customId: 'a button of another style than "link"' },
)

/** A button of a request that the bot responds to. */
export const ActionButtonInput = button(
  'request',
  {
    style: oneOf(['primary', 'secondary', 'success', 'danger'], 'The color of the button.'),
    customId: CustomIdInput,
  },
  'A button that the bot responds to.',
  { url: 'a button of the style "link"' },
)

/** Finds the other violations of a component whose type or style is unknown. */
const UnknownComponent = button(
  'request',
  { type: oneOf(componentTypes), style: ButtonStyle, customId: ignored, url: ignored },
  'A component.',
)

export const ButtonInput = variant('style', [LinkButtonInput, ActionButtonInput], 'A button.', {
  others: UnknownComponent,
})

/* @__NO_SIDE_EFFECTS__ */
function option(mode: ComponentMode) {
  return closedObjectIn(
    mode,
    {
      label: line(mode, limits.maxSelectLabel, 'The text.'),
      value: line(mode, limits.maxSelectValue, 'Unique in the menu. The interaction contains it.', 'keep'),
      description: optionalLine(mode, limits.maxSelectDescription, 'A text below the label.'),
      default: optionalIn(mode, boolean('Whether it is selected at first.')),
    },
    'An option of a select menu.',
  )
}

export const SelectOption = option('response')
export type SelectOption = v.InferOutput<typeof SelectOption>

/* @__NO_SIDE_EFFECTS__ */
function select<const Options extends v.ObjectEntries, Type extends Schema>(
  mode: ComponentMode,
  type: Type,
  options: Options,
  description: string,
  elsewhere?: Readonly<Record<string, string>>,
) {
  const max = limits.maxSelectOptions
  const ifEmpty = 'What the menu shows if nothing is selected.'
  const least = 'The smallest number of values that a user selects; 1 by default.'
  const most = 'The largest number of values that a user selects; 1 by default.'
  const entries = {
    type,
    customId: mode === 'response' ? CustomId : CustomIdInput,
    placeholder: optionalLine(mode, limits.maxSelectPlaceholder, ifEmpty),
    minValues: optionalIn(mode, integer(least, { min: 0, max })),
    maxValues: optionalIn(mode, integer(most, { min: 1, max })),
    disabled: optionalIn(mode, boolean('Whether it cannot be used.')),
    ...options,
  }
  const schema = closedObjectIn(mode, entries, description, elsewhere)
  if (mode === 'response') return schema
  const withRules = v.pipe(schema as v.GenericSchema<SelectValues>, rule(checkSelect, { always: true }))
  return withRules as unknown as typeof schema
}

/** What a menu of users, roles or channels shows as selected at first. */
export const DefaultValue = object(
  {
    type: oneOf(
      ['user', 'role', 'channel'],
      'What the id is that of. A `mentionable_select` has users and roles.',
    ),
    id: described(Id, 'The id of the user, role or channel.'),
  },
  'A user, role or channel that is selected at first.',
)
export type DefaultValue = v.InferOutput<typeof DefaultValue>

/* @__NO_SIDE_EFFECTS__ */
function stringSelect(mode: ComponentMode) {
  const options = list(mode === 'response' ? SelectOption : option(mode), 'The options.', {
    min: 1,
    max: limits.maxSelectOptions,
  })
  const type = constant('string_select', 'The user selects options of the menu.')
  return select(mode, type, { options }, 'A select menu with options.', {
    defaultValues: 'a menu of users, roles or channels',
  })
}

/* @__NO_SIDE_EFFECTS__ */
function entitySelect(mode: ComponentMode) {
  const types = 'The user selects members of the server, its roles, its channels, or members and roles.'
  const type = oneOf(entitySelectTypes, types)
  const description = 'A select menu with the users, roles or channels of the server.'
  const selected =
    'What is selected at first, `minValues` to `maxValues` of it; without it nothing. ' +
    'What a user cannot see, or does not exist any more, is not shown to them.'
  const defaultValues = optionalIn(mode, list(DefaultValue, selected, { max: limits.maxSelectOptions }))
  return select(mode, type, { defaultValues }, description, { options: 'the type "string_select"' })
}

export const StringSelect = stringSelect('response')
export type StringSelect = v.InferOutput<typeof StringSelect>

export const EntitySelect = entitySelect('response')
export type EntitySelect = v.InferOutput<typeof EntitySelect>

export type Select = StringSelect | EntitySelect

/** The select menus of a request. */
export const StringSelectInput = stringSelect('request')
export const EntitySelectInput = entitySelect('request')

export const SelectInput = variant('type', [StringSelectInput, EntitySelectInput], 'A select menu.')

export const Component = variant('type', [Button, StringSelect, EntitySelect], 'A button or a select menu.')
export type Component = v.InferOutput<typeof Component>

/** The number of values that a user selects. */
export function selectBounds({ minValues = 1, maxValues = 1 }: Bounds): { min: number; max: number } {
  return { min: minValues, max: maxValues }
}

interface Bounds {
  minValues?: number
  maxValues?: number
}

/** A select menu of a request, as far as it could be read. */
interface SelectValues extends Bounds {
  type?: string
  options?: readonly ({ value?: string; default?: boolean } | undefined)[]
  defaultValues?: readonly (Partial<DefaultValue> | undefined)[]
}

/** Compares the options and default values with `minValues` and `maxValues`, and their values with each other. */
function checkSelect({ options = [], ...values }: SelectValues): Violation[] {
  const { min, max } = selectBounds(values)
  const count = options.filter(each => each !== undefined).length
  const violations: Violation[] = []
  if (max < min) {
    const message = 'must not be less than minValues'
    violations.push({ path: ['maxValues'], code: 'out_of_range', message })
  }
  if (count > 0 && count < min) {
    const message = 'must not be fewer than minValues'
    violations.push({ path: ['options'], code: 'too_few', message, min })
  }
  if (options.filter(each => each?.default === true).length > max) {
    const message = 'must not have more options with "default" than maxValues'
    violations.push({ path: ['options'], code: 'too_many', message, max })
  }
  const found = options.map((each, index) => ({ path: ['options', index, 'value'], value: each?.value }))
  return [...violations, ...findDuplicates(found), ...checkDefaultValues(values)]
}

const defaultTypes: Readonly<Record<EntitySelect['type'], readonly DefaultValue['type'][]>> = {
  user_select: ['user'],
  role_select: ['role'],
  channel_select: ['channel'],
  mentionable_select: ['user', 'role'],
}

/** An empty list is none. */
function checkDefaultValues({ type, defaultValues = [], ...bounds }: SelectValues): Violation[] {
  const { min, max } = selectBounds(bounds)
  const count = defaultValues.length
  const selects = entitySelectTypes.find(known => known === type)
  const accepted = selects === undefined ? [] : defaultTypes[selects]
  const ofOtherType = defaultValues.flatMap((each, index) =>
    selects === undefined || each?.type === undefined || accepted.includes(each.type)
      ? []
      : [{ path: ['defaultValues', index, 'type'], ...notOneOf(accepted) }],
  )
  const found = defaultValues.map((each, index) => ({
    path: ['defaultValues', index, 'id'],
    value: each?.id,
  }))
  return [
    ...(count > 0 && count < min ? [{ path: ['defaultValues'], ...tooFew(min) }] : []),
    ...(count > max ? [{ path: ['defaultValues'], ...tooMany(max) }] : []),
    ...ofOtherType,
    ...findDuplicates(found),
  ]
}

const ComponentInput = variant('type', [ButtonInput, SelectInput], 'A button or a select menu.', {
  others: UnknownComponent,
})

/* @__NO_SIDE_EFFECTS__ */
function row<S extends Schema>(mode: ComponentMode, component: S) {
  const components = list(component, '1 to 5 buttons, or one select menu.', {
    min: 1,
    max: limits.maxButtonsPerRow,
  })
  const type = constant('row', 'The type of the component.')
  return closedObjectIn(mode, { type, components }, 'A row of buttons, or a select menu.')
}

export const Row = row('response', Component)
export type Row = v.InferOutput<typeof Row>

export const RowInput = v.pipe(row('request', ComponentInput), rule(checkRow, { always: true }))

function checkRow({
  components = [],
}: {
  components?: readonly ({ type?: string } | undefined)[]
}): Violation[] {
  const read = components.filter(component => component !== undefined)
  if (read.length < 2 || read.every(({ type }) => !selectTypes.some(known => known === type))) return []
  const message = 'must contain either buttons or exactly one select menu'
  return [{ path: ['components'], code: 'conflict', message }]
}

/**
 * `components` of a request body: up to 5 rows with 1 to 5 buttons or one select menu each. A button of the style
 * `link` has `url` and no `customId`, other buttons have `customId` and no `url`. Null is an empty list.
 */
export const ComponentsInput = v.pipe(
  nullable(
    v.pipe(
      list(RowInput, 'Up to 5 rows of buttons or of one select menu; null and [] are none.', {
        max: limits.maxRows,
      }),
      rule(checkCustomIds, { always: true }),
    ),
  ),
  v.transform((rows): Row[] => rows ?? []),
)

/**
 * Validates `components` of a message. Paths begin with `components`. `components` is `[]` if it is absent or there are
 * violations.
 */
export function checkComponents(value: unknown): { components: Row[]; violations: Violation[] } {
  const { value: rows, violations } = parsePartly(ComponentsInput, value ?? null)
  return {
    components: violations.length === 0 ? (rows as Row[]) : [],
    violations: violations.map(({ path, ...rest }) => ({ path: ['components', ...path], ...rest })),
  }
}

/**
 * One emoji of this Unicode version, or any pictographs joined by U+200D, so that emoji of later versions are accepted.
 * The expression is in the function, so that V8 parses it at the first use and not at the start, which takes 25 ms.
 */
function isEmoji(text: string): boolean {
  const pictograph = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?`
  return new RegExp(String.raw`^(?:\p{RGI_Emoji}|${pictograph}(?:\u200d${pictograph})*)$`, 'v').test(text)
}
