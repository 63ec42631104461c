import type { ActionButton, Button, Embed, LinkButton, Row } from './types.ts'

/** A row of 1 to 5 buttons. */
export function row(...components: Button[]): Row {
  return { type: 'row', components }
}

/** A button that sends an interaction to the bot: `button('vote:tea', 'Tea', { style: 'primary' })`. */
export function button(
  customId: string,
  label: string,
  more: Partial<Pick<ActionButton, 'style' | 'emoji' | 'disabled'>> = {},
): ActionButton {
  return { type: 'button', style: 'secondary', customId, label, ...more }
}

/** A button that opens a URL. */
export function link(
  url: string,
  label: string,
  more: Partial<Pick<LinkButton, 'emoji' | 'disabled'>> = {},
): LinkButton {
  return { type: 'button', style: 'link', url, label, ...more }
}

/** An embed. Returns its argument; the function only checks the type. */
export function embed(card: Embed): Embed {
  return card
}
