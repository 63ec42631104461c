import {
  type Button,
  type ButtonStyle,
  type Component,
  type EntitySelect,
  type Row,
  type Select,
  type StringSelect,
  selectBounds,
} from '@gatehouse/protocol/components'
import { isAbsent, isJsonObject, type JsonObject, numberToText } from '@gatehouse/protocol/json-object'
import { isBlank } from '@gatehouse/protocol/text'
import type {
  APIActionRowComponent,
  APIBaseAutoPopulatedSelectMenuComponent,
  APIButtonComponentWithCustomId,
  APIButtonComponentWithURL,
  APIChannelSelectComponent,
  APIComponentInMessageActionRow,
  APIMessageComponentEmoji,
  APISelectMenuOption,
  APIStringSelectComponent,
} from 'discord-api-types/v10'
import { invalid } from '../../errors/app-error.ts'
import { nameOfNumber } from '../request-members.ts'
import type { OptionalMembers, Whole } from './whole.ts'

interface WithEmoji {
  emoji?: Whole<APIMessageComponentEmoji, OptionalMembers['emoji']>
}
type DiscordButton =
  | Whole<APIButtonComponentWithCustomId, OptionalMembers['button'], WithEmoji>
  | Whole<APIButtonComponentWithURL, OptionalMembers['button'], WithEmoji>

type EntityType = (typeof componentTypes)[EntitySelect['type']]
type DiscordOption = Whole<APISelectMenuOption, OptionalMembers['selectOption']>
type DiscordSelect =
  | Whole<APIStringSelectComponent, OptionalMembers['select'], { options: DiscordOption[] }>
  | Whole<
      APIBaseAutoPopulatedSelectMenuComponent<never, never> &
        Pick<APIChannelSelectComponent, 'channel_types'>,
      OptionalMembers['channelSelect'],
      { type: EntityType }
    >

type DiscordComponent = DiscordButton | DiscordSelect
export type DiscordRow = Whole<
  APIActionRowComponent<APIComponentInMessageActionRow>,
  never,
  { components: DiscordComponent[] }
>

export const componentTypes = {
  button: 2,
  string_select: 3,
  user_select: 5,
  role_select: 6,
  mentionable_select: 7,
  channel_select: 8,
} as const satisfies Record<Component['type'], number>
export const rowType = 1
export const textInputType = 4
const labelType = 18

const styles = { primary: 1, secondary: 2, success: 3, danger: 4, link: 5 } as const satisfies Record<
  ButtonStyle,
  number
>
const inputStyles = { 1: 'short', 2: 'paragraph' } as const

/** Components are numbered from 1, a row before those in it, as in Discord's API. */
export function toDiscordRows(rows: readonly Row[]): DiscordRow[] {
  let id = 0
  return rows.map(row => ({
    type: rowType,
    id: ++id,
    components: row.components.map(component => toDiscordComponent(component, ++id)),
  }))
}

function toDiscordComponent(component: Component, id: number): DiscordComponent {
  return component.type === 'button' ? toDiscordButton(component, id) : toDiscordSelect(component, id)
}

function toDiscordButton(button: Button, id: number): DiscordButton {
  const { style, customId, url, label, emoji, disabled = false } = button
  const common = {
    type: componentTypes.button,
    id,
    disabled,
    ...(label === undefined ? {} : { label }),
    ...(emoji === undefined ? {} : { emoji: { name: emoji, animated: false } }),
  }
  if (style === 'link') return { ...common, style: styles.link, url: url ?? '' }
  return { ...common, style: styles[style], custom_id: customId ?? '' }
}

function toDiscordSelect(select: Select, id: number): DiscordSelect {
  const { customId, placeholder, disabled = false } = select satisfies StringSelect | EntitySelect
  const { min, max } = selectBounds(select)
  const common = {
    id,
    custom_id: customId,
    min_values: min,
    max_values: max,
    disabled,
    ...(placeholder === undefined ? {} : { placeholder }),
  }
  if (select.type !== 'string_select')
    return { ...common, type: componentTypes[select.type], default_values: [] }
  const options = select.options.map(option => ({ ...option, default: option.default ?? false }))
  return { ...common, type: componentTypes.string_select, options }
}

/**
 * `components` of a request as our API has them. What is not an object, and a value of another type, stays: the
 * operation refuses it at the same path. `path` precedes the paths of the errors.
 */
export function fromDiscordRows(given: unknown, path = 'components'): unknown {
  return mapList(given, path, (row, rowPath) => {
    if (row.type !== rowType) throw unsupported(rowPath, 'rows of buttons or of one select menu (1)')
    return {
      type: 'row',
      components: mapList(row.components, `${rowPath}.components`, fromDiscordComponent),
    }
  })
}

function fromDiscordComponent(given: JsonObject, path: string): unknown {
  const { custom_id, disabled, emoji, label, style, url } = given
  if (given.type === componentTypes.button) {
    return {
      type: 'button',
      style: nameOfNumber(styles, style) ?? style,
      label: isAbsent(emoji) ? toVisible(label) : label,
      emoji: fromDiscordEmoji(emoji, `${path}.emoji`),
      url,
      customId: custom_id,
      disabled,
    }
  }
  const type = nameOfNumber(componentTypes, given.type)
  if (type === undefined) throw unsupported(path, 'buttons (2) and select menus (3, 5, 6, 7, 8)')
  const { placeholder, min_values: minValues, max_values: maxValues } = given
  const members = { type, customId: custom_id, placeholder, minValues, maxValues, disabled }
  if (type !== 'string_select') return members
  return { ...members, options: mapList(given.options, `${path}.options`, fromDiscordOption) }
}

/** Bots use buttons with an invisible label, for example as the fields of a board. Here users could not see them. */
function toVisible(label: unknown): unknown {
  return typeof label === 'string' && label !== '' && isBlank(label) ? '·' : label
}

/** An option has no emoji here. One that is text is left out, as the option is complete without it. */
function fromDiscordOption(given: JsonObject, path: string): unknown {
  fromDiscordEmoji(given.emoji, `${path}.emoji`)
  const { label, value, description, default: isDefault } = given
  return { label, value: numberToText(value), description, default: isDefault }
}

function fromDiscordEmoji(given: unknown, path: string): unknown {
  if (!isJsonObject(given)) return given
  if (isAbsent(given.id)) return given.name
  throw invalid(`${path}.id`, 'not_allowed', 'must be absent: there are no custom emoji here')
}

/** `data` of the response that opens a modal. A field may also be in a label, the newer form of Discord's API. */
export function fromDiscordModal(given: unknown, path: string): unknown {
  if (!isJsonObject(given)) return given
  const { custom_id: customId, title } = given
  const components = mapList(given.components, `${path}.components`, (row, rowPath) => {
    if (row.type === labelType && isJsonObject(row.component)) {
      const { label } = row
      const field = fromDiscordTextInput({ ...row.component, label }, `${rowPath}.component`)
      return { type: 'row', components: [field] }
    }
    if (row.type !== rowType) throw unsupported(rowPath, 'rows (1) and labels (18) with a text input')
    return {
      type: 'row',
      components: mapList(row.components, `${rowPath}.components`, fromDiscordTextInput),
    }
  })
  return { customId, title, components }
}

function fromDiscordTextInput(given: JsonObject, path: string): unknown {
  if (given.type !== textInputType) throw unsupported(path, 'text inputs (4)')
  const { custom_id, style, label, placeholder, min_length, max_length, required, value } = given
  return {
    type: 'text_input',
    customId: custom_id,
    style: style === 1 || style === 2 ? inputStyles[style] : style,
    label,
    placeholder,
    minLength: min_length,
    maxLength: max_length,
    required,
    value,
  }
}

function mapList(given: unknown, path: string, map: (item: JsonObject, path: string) => unknown): unknown {
  if (!Array.isArray(given)) return given
  return given.map((item: unknown, index) => (isJsonObject(item) ? map(item, `${path}[${index}]`) : item))
}

function unsupported(path: string, supported: string) {
  return invalid(`${path}.type`, 'invalid_choice', `is not supported: only ${supported} are`)
}
