import type { Static } from 'typebox'
import {
  addViolation,
  mustBe,
  oneOf,
  required,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import {
  isAbsent,
  type JsonObject,
  readBoolean,
  readInteger,
  readObjects,
  readText,
  readUrl,
  rejectUnknownMembers,
  requireText,
} from './json-object.ts'
import * as limits from './limits.ts'
import { closed, Documented, Nullable, OneOf, ShownAs, Variants } from './schema.ts'
import { checkText, cleaners } from './text.ts'
import { Type } from './type.ts'

export const buttonStyles = ['primary', 'secondary', 'success', 'danger', 'link'] as const

export const ButtonStyle = OneOf(buttonStyles, { description: '`link` has `url`, the others `customId`.' })
export type ButtonStyle = Static<typeof ButtonStyle>

export const CustomId = Type.String({
  description: 'Up to 100 characters, unique in the message. The interaction contains it.',
})

const ButtonType = OneOf(['button'], { description: 'The type of the component.' })
const RowType = OneOf(['row'], { description: 'The type of the component.' })

export const Button = Type.Object(
  {
    type: ButtonType,
    style: ButtonStyle,
    label: Type.Optional(Type.String({ description: 'The text: up to 80 characters.' })),
    emoji: Type.Optional(Type.String({ description: 'One emoji.' })),
    customId: Type.Optional(CustomId),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'The URL that it opens: http or https, up to 512 characters.',
      }),
    ),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether it cannot be pressed.' })),
  },
  closed('A button with a label, an emoji or both.'),
)
export type Button = Static<typeof Button>

/** The types of select menus in which the user selects users, roles or channels instead of options. */
export const entitySelectTypes = ['user_select', 'role_select', 'channel_select'] as const
export const selectTypes = ['string_select', ...entitySelectTypes] as const
export type SelectType = (typeof selectTypes)[number]

const StringSelectType = OneOf(['string_select'], { description: 'The user selects options of the menu.' })
const EntitySelectType = OneOf(entitySelectTypes, {
  description: 'The user selects members of the server, its roles, or its channels.',
})

export const SelectOption = Type.Object(
  {
    label: Type.String({ description: 'The text: up to 100 characters.' }),
    value: Type.String({
      description: 'Up to 100 characters, unique in the menu. The interaction contains it.',
    }),
    description: Type.Optional(Type.String({ description: 'A text below the label: up to 100 characters.' })),
    default: Type.Optional(Type.Boolean({ description: 'Whether it is selected at first.' })),
  },
  closed('An option of a select menu.'),
)
export type SelectOption = Static<typeof SelectOption>

const select = {
  customId: CustomId,
  placeholder: Type.Optional(
    Type.String({ description: 'What the menu shows if nothing is selected: up to 150 characters.' }),
  ),
  minValues: Type.Optional(
    Type.Integer({
      description: 'The smallest number of values that a user selects, 0 to 25; 1 by default.',
    }),
  ),
  maxValues: Type.Optional(
    Type.Integer({ description: 'The largest number of values that a user selects, 1 to 25; 1 by default.' }),
  ),
  disabled: Type.Optional(Type.Boolean({ description: 'Whether it cannot be used.' })),
}
const options = Type.Array(SelectOption, { description: '1 to 25 options.' })

export const StringSelect = Type.Object(
  { type: StringSelectType, ...select, options },
  closed('A select menu with options.'),
)
export type StringSelect = Static<typeof StringSelect>

export const EntitySelect = Type.Object(
  { type: EntitySelectType, ...select },
  closed('A select menu with the users, roles or channels of the server.'),
)
export type EntitySelect = Static<typeof EntitySelect>

export type Select = StringSelect | EntitySelect

// The serializer has one schema, because it is faster without unions.
export const Component = ShownAs(
  Type.Unsafe<Button | Select>(
    Type.Object({
      ...Type.Partial(Button).properties,
      ...Type.Partial(StringSelect).properties,
      type: OneOf(['button', ...selectTypes]),
    }),
  ),
  Variants('type', [Button, StringSelect, EntitySelect], 'A button or a select menu.'),
)
export type Component = Static<typeof Component>

export const Row = Type.Object(
  {
    type: RowType,
    components: Type.Array(Component, { description: '1 to 5 buttons, or one select menu.' }),
  },
  closed('A row of buttons, or a select menu.'),
)
export type Row = Static<typeof Row>

/** The number of values that a user selects. */
export function selectBounds({ minValues = 1, maxValues = 1 }: Pick<Select, 'minValues' | 'maxValues'>): {
  min: number
  max: number
} {
  return { min: minValues, max: maxValues }
}

const buttonInput = {
  type: ButtonType,
  label: Type.Optional(
    Nullable(Type.String({ maxLength: limits.maxButtonLabel }), {
      description: 'The text; required without an emoji.',
    }),
  ),
  emoji: Type.Optional(Nullable(Type.String({ maxLength: limits.maxEmoji }), { description: 'One emoji.' })),
  disabled: Type.Optional(Nullable(Type.Boolean(), { description: 'Whether it cannot be pressed.' })),
}

/** A button of a request that opens a URL, for the API document. */
export const LinkButtonInput = Type.Object(
  {
    ...buttonInput,
    style: OneOf(['link'], { description: 'The style of a button that opens a URL.' }),
    url: Type.String({
      format: 'uri',
      maxLength: limits.maxButtonUrl,
      description: 'The URL that it opens: http or https.',
    }),
  },
  closed('A button that opens a URL.'),
)

export const CustomIdInput = Type.String({
  minLength: 1,
  maxLength: limits.maxCustomId,
  description: 'Unique in the message. The interaction contains it.',
})

/** A button of a request that the bot responds to, for the API document. */
export const ActionButtonInput = Type.Object(
  {
    ...buttonInput,
    style: OneOf(['primary', 'secondary', 'success', 'danger'], { description: 'The color of the button.' }),
    customId: CustomIdInput,
  },
  closed('A button that the bot responds to.'),
)

export const ButtonInput = Variants('style', [LinkButtonInput, ActionButtonInput], 'A button.')

const selectInput = {
  customId: CustomIdInput,
  placeholder: Type.Optional(
    Nullable(Type.String({ maxLength: limits.maxSelectPlaceholder }), {
      description: 'What the menu shows if nothing is selected.',
    }),
  ),
  minValues: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: limits.maxSelectOptions }), {
      description: 'The smallest number of values that a user selects; 1 by default.',
    }),
  ),
  maxValues: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: limits.maxSelectOptions }), {
      description: 'The largest number of values that a user selects; 1 by default.',
    }),
  ),
  disabled: Type.Optional(Nullable(Type.Boolean(), { description: 'Whether it cannot be used.' })),
}

const SelectOptionInput = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: limits.maxSelectLabel, description: 'The text.' }),
    value: Type.String({
      minLength: 1,
      maxLength: limits.maxSelectValue,
      description: 'Unique in the menu. The interaction contains it.',
    }),
    description: Type.Optional(
      Nullable(Type.String({ maxLength: limits.maxSelectDescription }), {
        description: 'A text below the label.',
      }),
    ),
    default: Type.Optional(Nullable(Type.Boolean(), { description: 'Whether it is selected at first.' })),
  },
  closed('An option of a select menu.'),
)

/** A select menu of a request with its own options, for the API document. */
export const StringSelectInput = Type.Object(
  {
    type: StringSelectType,
    ...selectInput,
    options: Type.Array(SelectOptionInput, {
      minItems: 1,
      maxItems: limits.maxSelectOptions,
      description: 'The options.',
    }),
  },
  closed('A select menu with options.'),
)

/** A select menu of a request for users, roles or channels, for the API document. */
export const EntitySelectInput = Type.Object(
  { type: EntitySelectType, ...selectInput },
  closed('A select menu with the users, roles or channels of the server.'),
)

export const SelectInput = Variants('type', [StringSelectInput, EntitySelectInput], 'A select menu.')

export const RowInput = Type.Object(
  {
    type: RowType,
    components: Type.Union(
      [
        Type.Array(ButtonInput, {
          minItems: 1,
          maxItems: limits.maxButtonsPerRow,
          description: 'The buttons.',
        }),
        Type.Array(SelectInput, { minItems: 1, maxItems: 1, description: 'The select menu.' }),
      ],
      { description: 'The buttons, or one select menu.' },
    ),
  },
  closed('A row of buttons, or a select menu.'),
)

/** `components` of a request body: unknown until `checkComponents` has validated it. */
export const ComponentsInput = Documented(
  Nullable(Type.Array(RowInput, { maxItems: limits.maxRows })),
  'Up to 5 rows of buttons or of one select menu; null and [] are none.',
  value => checkComponents(value).violations,
)

/**
 * Validates `components` of a message: up to 5 rows with 1 to 5 buttons or one select menu each. A button of the style `link`
 * has `url` and no `customId`, other buttons have `customId` and no `url`. Each has a label or an emoji, and each `customId`
 * occurs once. Only menus of the type `string_select` have options. Paths begin with `components`. `components` is `[]` if it is absent or there are violations.
 */
export function checkComponents(value: unknown): { components: Row[]; violations: Violation[] } {
  const components: Row[] = []
  const violations: Violation[] = []
  if (isAbsent(value)) return { components, violations }
  const customIds = new Set<string>()
  readObjects(value, ['components'], { max: limits.maxRows }, violations, item => {
    components.push(readRow(item, customIds, violations))
  })
  return { components: violations.length === 0 ? components : [], violations }
}

function readRow(row: JsonObject, customIds: Set<string>, violations: Violation[]): Row {
  const components: Component[] = []
  rejectUnknownMembers(row, ['type', 'components'], violations)
  if (row.type !== 'row') {
    addViolation(violations, { path: ['type'], ...oneOf(['row']) })
  }
  const path = ['components']
  if (isAbsent(row.components)) addViolation(violations, { path, ...mustBe('array'), code: 'required' })
  else {
    readObjects(row.components, path, { min: 1, max: limits.maxButtonsPerRow }, violations, item => {
      const type = selectTypes.find(known => known === item.type)
      components.push(
        type === undefined
          ? readButton(item, customIds, violations)
          : readSelect(item, type, customIds, violations),
      )
    })
  }
  if (components.length > 1 && components.some(({ type }) => type !== 'button')) {
    const message = 'must contain either buttons or exactly one select menu'
    addViolation(violations, { path, code: 'conflict', message })
  }
  return { type: 'row', components }
}

const buttonMembers = ['type', 'style', 'label', 'emoji', 'customId', 'url', 'disabled']

function readButton(from: JsonObject, customIds: Set<string>, violations: Violation[]): Button {
  rejectUnknownMembers(from, buttonMembers, violations)
  if (from.type !== 'button') {
    addViolation(violations, { path: ['type'], ...oneOf(['button', ...selectTypes]) })
  }
  const style = buttonStyles.find(known => known === from.style)
  if (style === undefined) {
    addViolation(violations, { path: ['style'], ...oneOf(buttonStyles) })
  }
  const button: Button = { type: 'button', style: style ?? 'secondary' }

  const beforeFace = violations.length
  const label = readText(from, 'label', limits.maxButtonLabel, violations, cleaners.name)
  if (label !== undefined) button.label = label
  const emoji = readEmoji(from, violations)
  if (emoji !== undefined) button.emoji = emoji
  if (label === undefined && emoji === undefined && violations.length === beforeFace) {
    addViolation(violations, {
      path: ['label'],
      code: 'required',
      message: 'is required for a button without an emoji',
    })
  }

  if (style === 'link') {
    rejectMember(from, 'customId', 'is not accepted for a button of the style "link"', violations)
    const before = violations.length
    const url = readUrl(from, 'url', limits.maxButtonUrl, violations)
    if (url !== undefined) button.url = url
    else if (violations.length === before) {
      addViolation(violations, {
        path: ['url'],
        code: 'required',
        message: 'is required for a button of the style "link"',
      })
    }
  } else if (style !== undefined) {
    rejectMember(from, 'url', 'is accepted only for a button of the style "link"', violations)
    const customId = readCustomId(from, customIds, violations, {
      code: 'required',
      message: 'is required for a button of another style than "link"',
    })
    if (customId !== undefined) button.customId = customId
  }

  const disabled = readBoolean(from, 'disabled', violations)
  if (disabled !== undefined) button.disabled = disabled
  return button
}

function rejectMember(from: JsonObject, key: string, message: string, violations: Violation[]): void {
  if (!isAbsent(from[key])) addViolation(violations, { path: [key], code: 'not_allowed', message })
}

const selectMembers = ['type', 'customId', 'placeholder', 'minValues', 'maxValues', 'disabled', 'options']

function readSelect(
  from: JsonObject,
  type: SelectType,
  customIds: Set<string>,
  violations: Violation[],
): Select {
  rejectUnknownMembers(from, selectMembers, violations)
  const customId = readCustomId(from, customIds, violations) ?? ''
  const placeholder = readText(from, 'placeholder', limits.maxSelectPlaceholder, violations, cleaners.name)
  const max = limits.maxSelectOptions
  const minValues = readInteger(from, 'minValues', { min: 0, max }, violations)
  const maxValues = readInteger(from, 'maxValues', { min: 1, max }, violations)
  const bounds = selectBounds({
    ...(minValues !== undefined && { minValues }),
    ...(maxValues !== undefined && { maxValues }),
  })
  if (bounds.max < bounds.min) {
    const message = 'must not be less than minValues'
    addViolation(violations, { path: ['maxValues'], code: 'out_of_range', message })
  }
  const disabled = readBoolean(from, 'disabled', violations)
  const select = {
    customId,
    ...(placeholder !== undefined && { placeholder }),
    ...(minValues !== undefined && { minValues }),
    ...(maxValues !== undefined && { maxValues }),
    ...(disabled !== undefined && { disabled }),
  }
  if (type === 'string_select') {
    return { type, ...select, options: readSelectOptions(from, bounds, violations) }
  }
  rejectMember(from, 'options', 'is accepted only for the type "string_select"', violations)
  return { type, ...select }
}

function readSelectOptions(
  from: JsonObject,
  { min, max }: { min: number; max: number },
  violations: Violation[],
): SelectOption[] {
  const options: SelectOption[] = []
  const path = ['options']
  if (isAbsent(from.options)) {
    addViolation(violations, { path, ...required })
    return options
  }
  const values = new Set<string>()
  readObjects(from.options, path, { min: 1, max: limits.maxSelectOptions }, violations, item => {
    options.push(readSelectOption(item, values, violations))
  })
  if (options.length > 0 && options.length < min) {
    addViolation(violations, { path, code: 'too_few', message: 'must not be fewer than minValues', min })
  }
  if (options.filter(option => option.default === true).length > max) {
    const message = 'must not have more options with "default" than maxValues'
    addViolation(violations, { path, code: 'too_many', message, max })
  }
  return options
}

function readSelectOption(from: JsonObject, values: Set<string>, violations: Violation[]): SelectOption {
  rejectUnknownMembers(from, ['label', 'value', 'description', 'default'], violations)
  const label = requireText(from, 'label', limits.maxSelectLabel, violations, cleaners.name) ?? ''
  // Not normalized, because the bot receives it in the interaction.
  const value = requireText(from, 'value', limits.maxSelectValue, violations, cleaners.keep) ?? ''
  if (value !== '' && values.has(value)) {
    const message = 'must differ from every other "value" of the menu'
    addViolation(violations, { path: ['value'], code: 'duplicate', message })
  }
  values.add(value)
  const description = readText(from, 'description', limits.maxSelectDescription, violations, cleaners.name)
  const isDefault = readBoolean(from, 'default', violations)
  return {
    label,
    value,
    ...(description !== undefined && { description }),
    ...(isDefault !== undefined && { default: isDefault }),
  }
}

/** Not normalized, because the bot receives it in the interaction. */
export function readCustomId(
  from: JsonObject,
  taken: Set<string>,
  violations: Violation[],
  ifAbsent: ViolationDetails = required,
): string | undefined {
  const path = ['customId']
  const value = from.customId
  if (isAbsent(value) || value === '') {
    addViolation(violations, { path, ...ifAbsent })
    return undefined
  }
  const { text, violation } = checkText(value, limits.maxCustomId, cleaners.keep)
  if (violation) addViolation(violations, { path, ...violation })
  if (violation || text === undefined) return undefined
  if (taken.has(text)) {
    addViolation(violations, {
      path,
      code: 'duplicate',
      message: 'must differ from every other "customId" of the message',
    })
    return undefined
  }
  taken.add(text)
  return text
}

/**
 * One emoji of this Unicode version, or any pictographs joined by U+200D, so that emoji of later versions are accepted. The
 * expression is in the function, so that V8 parses it at the first use and not at the start, which takes 25 ms.
 */
function isEmoji(text: string): boolean {
  return /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*)$/v.test(
    text,
  )
}

function readEmoji(from: JsonObject, violations: Violation[]): string | undefined {
  const before = violations.length
  const emoji = readText(from, 'emoji', limits.maxEmoji, violations, cleaners.name)
  if (emoji === undefined || violations.length > before) return undefined
  if (isEmoji(emoji)) return emoji
  addViolation(violations, { path: ['emoji'], code: 'invalid_emoji', message: 'must be one emoji' })
  return undefined
}
