import type { ActionButton, Button, Embed, LinkButton, Row } from './types.ts'

/** A row of 1 to 5 buttons. */
export function row(...components: Button[]): Row {
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

/** Returns its argument. The compiler checks the type. */
export function embed(value: Embed): Embed {
  return value
}
