import type {
  ActionButton,
  Button,
  Embed,
  EntitySelect,
  LinkButton,
  Modal,
  Row,
  Select,
  SelectOption,
  StringSelect,
  TextInput,
} from './types.ts'

/** A row of 1 to 5 buttons, or with one select menu. */
export function row(...components: Button[] | [Select]): Row {
  return { type: 'row', components }
}

/** A button that sends an interaction to the bot: `button('vote:tea', 'Tea', { style: 'primary' })`. */
export function button(
  customId: string,
  label: string,
  options: Partial<Pick<ActionButton, 'style' | 'emoji' | 'disabled'>> = {},
): ActionButton {
  return { type: 'button', style: 'secondary', customId, label, ...options }
}

/** A button that opens a URL. */
export function link(
  url: string,
  label: string,
  options: Partial<Pick<LinkButton, 'emoji' | 'disabled'>> = {},
): LinkButton {
  return { type: 'button', style: 'link', url, label, ...options }
}

type SelectSettings = Partial<Pick<Select, 'placeholder' | 'minValues' | 'maxValues' | 'disabled'>>

/** A select menu with 1 to 25 options: `stringSelect('tea', [{ label: 'Green', value: 'green' }, 'black'])`. */
export function stringSelect(
  customId: string,
  options: readonly (SelectOption | string)[],
  settings: SelectSettings = {},
): StringSelect {
  const toOption = (option: SelectOption | string) =>
    typeof option === 'string' ? { label: option, value: option } : option
  return { type: 'string_select', customId, options: options.map(toOption), ...settings }
}

/** A select menu with the members of the server. In a direct message: its two people. */
export function userSelect(customId: string, settings: SelectSettings = {}): EntitySelect {
  return { type: 'user_select', customId, ...settings }
}

/** A select menu with the roles of the server. */
export function roleSelect(customId: string, settings: SelectSettings = {}): EntitySelect {
  return { type: 'role_select', customId, ...settings }
}

/** A select menu with the channels of the server that the user can view. */
export function channelSelect(customId: string, settings: SelectSettings = {}): EntitySelect {
  return { type: 'channel_select', customId, ...settings }
}

/** A field of a modal: `textInput('reason', 'Reason', { style: 'paragraph', maxLength: 500 })`. */
export function textInput<const Id extends string>(
  customId: Id,
  label: string,
  settings: Partial<Omit<TextInput, 'type' | 'customId' | 'label'>> = {},
): TextInput<Id> {
  return { type: 'text_input', customId, style: 'short', label, ...settings }
}

/** A dialog with 1 to 5 fields, for `ctx.showModal`. `bot.modal` with it types `ctx.fields`. */
export function modal<const Id extends string, const Field extends string>(
  customId: Id,
  title: string,
  ...inputs: TextInput<Field>[]
): Modal<Id, Field> {
  return { customId, title, components: inputs.map(input => ({ type: 'row', components: [input] })) }
}

/** Returns its argument. The compiler checks the type. */
export function embed(value: Embed): Embed {
  return value
}
