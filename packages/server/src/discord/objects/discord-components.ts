import type {
  Button,
  ButtonStyle,
  Component,
  EntitySelect,
  Row,
  Select,
  StringSelect,
} from '@gatehouse/protocol/components'
import { isAbsent, isJsonObject, type JsonObject, numberToText } from '@gatehouse/protocol/json-object'
import { isBlank } from '@gatehouse/protocol/text'
import type {
  APIActionRowComponent,
  APIBaseSelectMenuComponent,
  APIButtonComponent,
  APIComponentInMessageActionRow,
  APISelectMenuComponent,
  APIStringSelectComponent,
} from 'discord-api-types/v10'
import { invalid } from '../../errors/app-error.ts'
import { nameOfNumber } from '../request-members.ts'

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

export function toDiscordRows(rows: readonly Row[]): APIActionRowComponent<APIComponentInMessageActionRow>[] {
  return rows.map(row => ({ type: rowType, components: row.components.map(toDiscordComponent) }))
}

function toDiscordComponent(component: Component): APIComponentInMessageActionRow {
  return component.type === 'button' ? toDiscordButton(component) : toDiscordSelect(component)
}

function toDiscordButton({ style, customId, url, label, emoji, disabled }: Button): APIButtonComponent {
  const common = {
    type: componentTypes.button,
    ...(label === undefined ? {} : { label }),
    ...(emoji === undefined ? {} : { emoji: { name: emoji } }),
    ...(disabled === undefined ? {} : { disabled }),
  }
  if (style === 'link') return { ...common, style: styles.link, url: url ?? '' }
  return { ...common, style: styles[style], custom_id: customId ?? '' }
}

function toDiscordSelect(select: Select): APISelectMenuComponent {
  if (select.type === 'string_select') return toDiscordStringSelect(select)
  return { ...toSelectMembers(select), type: componentTypes[select.type] } as APISelectMenuComponent
}

function toDiscordStringSelect(select: StringSelect): APIStringSelectComponent {
  return { ...toSelectMembers(select), type: componentTypes.string_select, options: select.options }
}

function toSelectMembers(select: Select): Omit<APIBaseSelectMenuComponent<never>, 'type'> {
  const { customId, placeholder, minValues, maxValues, disabled } = select satisfies
    | StringSelect
    | EntitySelect
  return {
    custom_id: customId,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(minValues === undefined ? {} : { min_values: minValues }),
    ...(maxValues === undefined ? {} : { max_values: maxValues }),
    ...(disabled === undefined ? {} : { disabled }),
  }
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
