import { checkComponents } from '@gatehouse/protocol/components'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import { checkModal } from '@gatehouse/protocol/modals'
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
import { asJson, assertValid } from './validity.ts'

// Each function throws a TypeError for what the service would reject.

/** A row of 1 to 5 buttons, or with one select menu. */
export function row(...components: Button[] | [Select]): Row {
  const built: Row = { type: 'row', components }
  assertValid('row', checkComponents(asJson([built])).violations, 2)
  return built
}

/** Returns its argument. */
function checked<Built extends Button | Select>(call: string, id: string, component: Built): Built {
  const { violations } = checkComponents(asJson([{ type: 'row', components: [component] }]))
  assertValid(`${call}(${JSON.stringify(id)})`, violations, 4)
  return component
}

/** A button that sends an interaction to the bot: `button('vote:tea', 'Tea', { style: 'primary' })`. */
export function button(
  customId: string,
  label: string,
  options: Partial<Pick<ActionButton, 'style' | 'emoji' | 'disabled'>> = {},
): ActionButton {
  return checked('button', customId, { type: 'button', style: 'secondary', customId, label, ...options })
}

/** A button that opens a URL. */
export function link(
  url: string,
  label: string,
  options: Partial<Pick<LinkButton, 'emoji' | 'disabled'>> = {},
): LinkButton {
  return checked('link', url, { type: 'button', style: 'link', url, label, ...options })
}

type SelectSettings = Partial<Pick<Select, 'placeholder' | 'minValues' | 'maxValues' | 'disabled'>>
type EntitySettings = SelectSettings & Partial<Pick<EntitySelect, 'defaultValues'>>

/** A select menu with 1 to 25 options: `stringSelect('tea', [{ label: 'Green', value: 'green' }, 'black'])`. */
export function stringSelect(
  customId: string,
  options: readonly (SelectOption | string)[],
  settings: SelectSettings = {},
): StringSelect {
  const toOption = (option: SelectOption | string) =>
    typeof option === 'string' ? { label: option, value: option } : option
  return checked('stringSelect', customId, {
    type: 'string_select',
    customId,
    options: options.map(toOption),
    ...settings,
  })
}

/** A select menu with the members of the server. In a direct message: its two people. */
export function userSelect(customId: string, settings: EntitySettings = {}): EntitySelect {
  return checked('userSelect', customId, { type: 'user_select', customId, ...settings })
}

/** A select menu with the roles of the server. */
export function roleSelect(customId: string, settings: EntitySettings = {}): EntitySelect {
  return checked('roleSelect', customId, { type: 'role_select', customId, ...settings })
}

/** A select menu with the members and the roles of the server. In a direct message: its two people. */
export function mentionableSelect(customId: string, settings: EntitySettings = {}): EntitySelect {
  return checked('mentionableSelect', customId, { type: 'mentionable_select', customId, ...settings })
}

/** A select menu with the channels of the server that the user can view. */
export function channelSelect(customId: string, settings: EntitySettings = {}): EntitySelect {
  return checked('channelSelect', customId, { type: 'channel_select', customId, ...settings })
}

/** A field of a modal: `textInput('reason', 'Reason', { style: 'paragraph', maxLength: 500 })`. */
export function textInput<const Id extends string>(
  customId: Id,
  label: string,
  settings: Partial<Omit<TextInput, 'type' | 'customId' | 'label'>> = {},
): TextInput<Id> {
  const input: TextInput<Id> = { type: 'text_input', customId, style: 'short', label, ...settings }
  const { violations } = checkModal(asJson(toModal('modal', 'Title', [input])))
  assertValid(`textInput(${JSON.stringify(customId)})`, violations, 4)
  return input
}

/** A dialog with 1 to 5 fields, for `ctx.showModal`. `bot.modal` with it types `ctx.fields`. */
export function modal<const Id extends string, const Field extends string>(
  customId: Id,
  title: string,
  ...inputs: TextInput<Field>[]
): Modal<Id, Field> {
  const built = toModal(customId, title, inputs)
  assertModal('modal', built)
  return built
}

function toModal<Id extends string, Field extends string>(
  customId: Id,
  title: string,
  inputs: readonly TextInput<Field>[],
): Modal<Id, Field> {
  return { customId, title, components: inputs.map(input => ({ type: 'row', components: [input] })) }
}

export function assertModal(call: string, modal: Modal): void {
  assertValid(`${call}(${JSON.stringify(modal.customId)})`, checkModal(asJson(modal)).violations, 0)
}

/** Returns its argument. */
export function embed(value: Embed): Embed {
  assertValid('embed', checkEmbeds(asJson([value])).violations, 2)
  return value
}
