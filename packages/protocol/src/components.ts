import type { Static } from 'typebox'
import { type CheckFault, nest, report } from './faults.ts'
import * as limits from './limits.ts'
import {
  isAbsent,
  isMembers,
  type MemberRule,
  type Members,
  readBoolean,
  readText,
  readUrl,
  refuseOthers,
} from './members.ts'
import { Checked, closed, OneOf } from './schema.ts'
import { isLonger, isSound } from './text.ts'
import { Type } from './type.ts'

export const buttonStyles = ['primary', 'secondary', 'success', 'danger', 'link'] as const

export const ButtonStyle = OneOf(buttonStyles, { description: '`link` has `url`, the others `customId`.' })
export type ButtonStyle = Static<typeof ButtonStyle>

export const Button = Type.Object(
  {
    type: OneOf(['button']),
    style: ButtonStyle,
    label: Type.Optional(Type.String({ description: 'Up to 80 characters.' })),
    emoji: Type.Optional(Type.String({ description: 'One emoji.' })),
    customId: Type.Optional(
      Type.String({ description: 'Up to 100 characters, unique in the message; comes back with a press.' }),
    ),
    url: Type.Optional(Type.String({ description: 'http or https, up to 512 characters.' })),
    disabled: Type.Optional(Type.Boolean()),
  },
  closed('A button with a label, an emoji or both.'),
)
export type Button = Static<typeof Button>

export const Row = Type.Object(
  { type: OneOf(['row']), components: Type.Array(Button, { description: '1 to 5 buttons.' }) },
  closed('A row of buttons.'),
)
export type Row = Static<typeof Row>

/** `components` of a request body: unknown until `checkComponents` has judged it. */
export const ComponentsInput = Checked(Type.Array(Row), 'Up to 5 rows of buttons; null and [] are none.')

export type ComponentRule =
  | MemberRule
  | 'invalid_choice'
  | 'invalid_emoji'
  | 'not_allowed'
  | 'duplicate'
  | 'too_few'
  | 'too_many'
  | 'unknown_member'

export type ComponentFault = CheckFault<ComponentRule>

/**
 * Judges `components` of a message (the contract, Messages): 1 to 5 buttons in each of up to 5 rows; `link` has `url`
 * and no `customId`, the others the reverse; a label or an emoji; each `customId` once. null and `[]` are none. Paths
 * begin with `components`. `components` is `[]` where there are faults.
 */
export function checkComponents(value: unknown): { components: Row[]; faults: ComponentFault[] } {
  const components: Row[] = []
  const faults: ComponentFault[] = []
  if (isAbsent(value)) return { components, faults }
  const customIds = new Set<string>()
  readEach(value, 'components', 0, limits.maxRows, faults, item => {
    components.push(readRow(item, customIds, faults))
  })
  return { components: faults.length === 0 ? components : [], faults }
}

/** Reads a list of `min` to `max` members; those beyond are not looked at. */
function readEach(
  value: unknown,
  key: string,
  min: number,
  max: number,
  faults: ComponentFault[],
  read: (item: Members) => void,
): void {
  if (!Array.isArray(value)) {
    const rule = isAbsent(value) ? 'required' : 'invalid_type'
    report(faults, { path: [key], rule, message: 'must be an array' })
    return
  }
  if (value.length < min) {
    report(faults, { path: [key], rule: 'too_few', message: `must have at least ${min}`, limit: min })
  }
  if (value.length > max) {
    report(faults, { path: [key], rule: 'too_many', message: `must have at most ${max}`, limit: max })
  }
  for (const [index, item] of value.slice(0, max).entries()) {
    const before = faults.length
    if (isMembers(item)) read(item)
    else report(faults, { path: [], rule: 'invalid_type', message: 'must be an object' })
    nest(faults, before, key, index)
  }
}

function readRow(row: Members, customIds: Set<string>, faults: ComponentFault[]): Row {
  const components: Button[] = []
  refuseOthers(row, ['type', 'components'], faults)
  if (row.type !== 'row') {
    report(faults, { path: ['type'], rule: 'invalid_choice', message: 'must be "row"' })
  }
  readEach(row.components, 'components', 1, limits.maxButtonsPerRow, faults, item => {
    components.push(readButton(item, customIds, faults))
  })
  return { type: 'row', components }
}

const buttonMembers = ['type', 'style', 'label', 'emoji', 'customId', 'url', 'disabled']

function readButton(from: Members, customIds: Set<string>, faults: ComponentFault[]): Button {
  refuseOthers(from, buttonMembers, faults)
  if (from.type !== 'button') {
    report(faults, { path: ['type'], rule: 'invalid_choice', message: 'must be "button"' })
  }
  const style = buttonStyles.find(known => known === from.style)
  if (style === undefined) {
    const message = `must be one of ${buttonStyles.join(', ')}`
    report(faults, { path: ['style'], rule: 'invalid_choice', message })
  }
  const button: Button = { type: 'button', style: style ?? 'secondary' }

  const beforeFace = faults.length
  const label = readText(from, 'label', limits.maxButtonLabel, faults)
  if (label !== undefined) button.label = label
  const emoji = readEmoji(from, faults)
  if (emoji !== undefined) button.emoji = emoji
  if (label === undefined && emoji === undefined && faults.length === beforeFace) {
    report(faults, { path: ['label'], rule: 'required', message: 'a button needs a label or an emoji' })
  }

  if (style === 'link') {
    refuseWith(from, 'customId', 'a link has a url and no customId', faults)
    const before = faults.length
    const url = readUrl(from, 'url', limits.maxButtonUrl, faults)
    if (url !== undefined) button.url = url
    else if (faults.length === before) {
      report(faults, { path: ['url'], rule: 'required', message: 'a link needs a url' })
    }
  } else if (style !== undefined) {
    refuseWith(from, 'url', 'only a button of the style link has a url', faults)
    const customId = readCustomId(from, customIds, faults)
    if (customId !== undefined) button.customId = customId
  }

  const disabled = readBoolean(from, 'disabled', faults)
  if (disabled !== undefined) button.disabled = disabled
  return button
}

function refuseWith(from: Members, key: string, message: string, faults: ComponentFault[]): void {
  if (!isAbsent(from[key])) report(faults, { path: [key], rule: 'not_allowed', message })
}

/** Kept as it is: it is a bot's own word, and comes back with a press. */
function readCustomId(from: Members, taken: Set<string>, faults: ComponentFault[]): string | undefined {
  const path = ['customId']
  const value = from.customId
  if (isAbsent(value) || value === '') {
    report(faults, { path, rule: 'required', message: 'a button that is no link needs a customId' })
    return undefined
  }
  if (typeof value !== 'string') {
    report(faults, { path, rule: 'invalid_type', message: 'must be a string' })
    return undefined
  }
  if (!isSound(value)) {
    const message = 'must not contain U+0000 or half of a surrogate pair'
    report(faults, { path, rule: 'invalid_text', message })
    return undefined
  }
  if (isLonger(value, limits.maxCustomId)) {
    const message = `must have at most ${limits.maxCustomId} characters`
    report(faults, { path, rule: 'too_long', message, limit: limits.maxCustomId })
    return undefined
  }
  if (taken.has(value)) {
    report(faults, { path, rule: 'duplicate', message: 'stands in this message already' })
    return undefined
  }
  taken.add(value)
  return value
}

// One emoji as Unicode has it today, or any pictograph, joined or not, so that next year's are not refused.
const oneEmoji =
  /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*)$/v

function readEmoji(from: Members, faults: ComponentFault[]): string | undefined {
  const before = faults.length
  const emoji = readText(from, 'emoji', limits.maxEmoji, faults)
  if (emoji === undefined || faults.length > before) return undefined
  if (oneEmoji.test(emoji)) return emoji
  report(faults, { path: ['emoji'], rule: 'invalid_emoji', message: 'must be one emoji' })
  return undefined
}
