import { type TranslatedMembers, translated } from '@gatehouse/protocol/component-members'
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
  SelectMenuDefaultValueType,
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
      APIBaseAutoPopulatedSelectMenuComponent<never, SelectMenuDefaultValueType> &
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
export const labelType = 18

const styles = { primary: 1, secondary: 2, success: 3, danger: 4, link: 5 } as const satisfies Record<
  ButtonStyle,
  number
>

type Identified = Pick<TranslatedMembers, 'id'>

/**
 * The id of each component: that which the bot gave it, else the next number from 1 that none has (discord/components).
 * To be called in their order, for a row before those in it.
 */
export function createNumbering(
  rows: readonly (object & { components: readonly object[] })[],
): (component: (object & Identified) | undefined) => number {
  const given = new Set(
    rows.flatMap(row => [row, ...row.components]).map(({ id }: object & Identified) => id),
  )
  let last = 0
  return ({ id } = {}) => {
    if (id !== undefined) return id
    do last++
    while (given.has(last))
    return last
  }
}

export function toDiscordRows(rows: readonly Row[]): DiscordRow[] {
  const toId = createNumbering(rows)
  return rows.map(row => ({
    type: rowType,
    id: toId(row),
    components: row.components.map(component => toDiscordComponent(component, toId(component))),
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
  if (select.type !== 'string_select') {
    return { ...common, type: componentTypes[select.type], default_values: select.defaultValues ?? [] }
  }
  const options = select.options.map(option => ({ ...option, default: option.default ?? false }))
  return { ...common, type: componentTypes.string_select, options }
}

/**
 * `components` of a request as our API has them. What is not an object, and a value of another type, stays: the
 * operation refuses it at the same path. `path` precedes the paths of the errors.
 */
export function fromDiscordRows(given: unknown, path = 'components'): unknown {
  const readId = createIdReader()
  return mapList(given, path, (row, rowPath) => {
    if (row.type !== rowType) throw unsupported(rowPath, 'rows of buttons or of one select menu (1)')
    return {
      type: 'row',
      [translated]: readId(row, rowPath),
      components: mapList(row.components, `${rowPath}.components`, (component, componentPath) => ({
        ...fromDiscordComponent(component, componentPath),
        [translated]: readId(component, componentPath),
      })),
    }
  })
}

const maxId = 2 ** 31 - 1

/** Reads the ids of the components of a message or modal. 0 is none. Throws 400. */
export function createIdReader(): (component: JsonObject, path: string) => Identified {
  const known = new Set<number>()
  return ({ id }, componentPath) => {
    const path = `${componentPath}.id`
    if (isAbsent(id) || id === 0) return {}
    if (typeof id !== 'number' || !Number.isInteger(id))
      throw invalid(path, 'invalid_type', 'must be an integer')
    if (id < 1 || id > maxId) throw invalid(path, 'out_of_range', `must be between 1 and ${maxId}`)
    if (known.has(id)) throw invalid(path, 'duplicate', 'must differ from every other "id"')
    known.add(id)
    return { id }
  }
}

function fromDiscordComponent(given: JsonObject, path: string): object {
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
  if (type !== 'string_select') {
    const defaultValues = mapList(given.default_values, `${path}.default_values`, fromDiscordDefault)
    return { ...members, defaultValues }
  }
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

/** Some libraries send ids as numbers. */
function fromDiscordDefault({ id, type }: JsonObject): unknown {
  return { id: numberToText(id), type }
}

function fromDiscordEmoji(given: unknown, path: string): unknown {
  if (!isJsonObject(given)) return given
  if (isAbsent(given.id)) return given.name
  throw invalid(`${path}.id`, 'not_allowed', 'must be absent: there are no custom emoji here')
}

export function mapList(
  given: unknown,
  path: string,
  map: (item: JsonObject, path: string) => unknown,
): unknown {
  if (!Array.isArray(given)) return given
  return given.map((item: unknown, index) => (isJsonObject(item) ? map(item, `${path}[${index}]`) : item))
}

export function unsupported(path: string, supported: string) {
  return invalid(`${path}.type`, 'invalid_choice', `is not supported: only ${supported} are`)
}
