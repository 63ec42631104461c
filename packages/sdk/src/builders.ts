import type { ActionButton, Button, Embed, LinkButton, Row } from './types.ts'

/** A row of 1 to 5 buttons. */
export function row(...components: Button[]): Row {
  return { type: 'row', components }
}

/** A button that comes back to the bot: `button('vote:tea', 'Tea', { style: 'primary' })`. */
export function button(
  customId: string,
  label: string,
  more: Partial<Pick<ActionButton, 'style' | 'emoji' | 'disabled'>> = {},
): ActionButton {
  return { type: 'button', style: 'secondary', customId, label, ...more }
}

/** A button that opens an address. */
export function link(
  url: string,
  label: string,
  more: Partial<Pick<LinkButton, 'emoji' | 'disabled'>> = {},
): LinkButton {
  return { type: 'button', style: 'link', url, label, ...more }
}

/** A card; the object as it is, with its type checked. */
export function embed(card: Embed): Embed {
  return card
}
