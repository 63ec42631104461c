import type { Static } from 'typebox'
import {
  addViolation,
  atLeast,
  atMost,
  invalidText,
  mustBe,
  oneOf,
  prefixPaths,
  tooLong,
  type Violation,
} from './field-errors.ts'
import * as limits from './limits.ts'
import {
  isAbsent,
  isMembers,
  type MemberRule,
  type Members,
  readBoolean,
  readName,
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
      Type.String({
        description: 'Up to 100 characters, unique in the message. The interaction contains it.',
      }),
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
export const ComponentsInput = Checked(
  Type.Array(Row),
  'Up to 5 rows of buttons; null and [] are none.',
  'components',
)

export type ComponentRule =
  | MemberRule
  | 'invalid_choice'
  | 'invalid_emoji'
  | 'not_allowed'
  | 'duplicate'
  | 'too_few'
  | 'too_many'
  | 'unknown_member'

export type ComponentViolation = Violation<ComponentRule>

/**
 * Judges `components` of a message (the contract, Messages): 1 to 5 buttons in each of up to 5 rows; `link` has `url`
 * and no `customId`, the others the reverse; a label or an emoji; each `customId` once. null and `[]` are none. Paths
 * begin with `components`. `components` is `[]` where there are violations.
 */
export function checkComponents(value: unknown): { components: Row[]; violations: ComponentViolation[] } {
  const components: Row[] = []
  const violations: ComponentViolation[] = []
  if (isAbsent(value)) return { components, violations }
  const customIds = new Set<string>()
  readEach(value, 'components', 0, limits.maxRows, violations, item => {
    components.push(readRow(item, customIds, violations))
  })
  return { components: violations.length === 0 ? components : [], violations }
}

/** Reads a list of `min` to `max` members; those beyond are not looked at. */
function readEach(
  value: unknown,
  key: string,
  min: number,
  max: number,
  violations: ComponentViolation[],
  read: (item: Members) => void,
): void {
  if (!Array.isArray(value)) {
    const violation = mustBe('array')
    addViolation(violations, {
      path: [key],
      ...violation,
      rule: isAbsent(value) ? 'required' : violation.rule,
    })
    return
  }
  if (value.length < min) {
    addViolation(violations, {
      path: [key],
      rule: 'too_few',
      message: atLeast(min, 'entry'),
      limit: min,
    })
  }
  if (value.length > max) {
    addViolation(violations, {
      path: [key],
      rule: 'too_many',
      message: atMost(max, 'entry'),
      limit: max,
    })
  }
  for (const [index, item] of value.slice(0, max).entries()) {
    const before = violations.length
    if (isMembers(item)) read(item)
    else addViolation(violations, { path: [], ...mustBe('object') })
    prefixPaths(violations, before, key, index)
  }
}

function readRow(row: Members, customIds: Set<string>, violations: ComponentViolation[]): Row {
  const components: Button[] = []
  refuseOthers(row, ['type', 'components'], violations)
  if (row.type !== 'row') {
    addViolation(violations, { path: ['type'], rule: 'invalid_choice', ...oneOf(['row']) })
  }
  readEach(row.components, 'components', 1, limits.maxButtonsPerRow, violations, item => {
    components.push(readButton(item, customIds, violations))
  })
  return { type: 'row', components }
}

const buttonMembers = ['type', 'style', 'label', 'emoji', 'customId', 'url', 'disabled']

function readButton(from: Members, customIds: Set<string>, violations: ComponentViolation[]): Button {
  refuseOthers(from, buttonMembers, violations)
  if (from.type !== 'button') {
    addViolation(violations, { path: ['type'], rule: 'invalid_choice', ...oneOf(['button']) })
  }
  const style = buttonStyles.find(known => known === from.style)
  if (style === undefined) {
    addViolation(violations, { path: ['style'], rule: 'invalid_choice', ...oneOf(buttonStyles) })
  }
  const button: Button = { type: 'button', style: style ?? 'secondary' }

  const beforeFace = violations.length
  const label = readName(from, 'label', limits.maxButtonLabel, violations)
  if (label !== undefined) button.label = label
  const emoji = readEmoji(from, violations)
  if (emoji !== undefined) button.emoji = emoji
  if (label === undefined && emoji === undefined && violations.length === beforeFace) {
    addViolation(violations, {
      path: ['label'],
      rule: 'required',
      message: 'is required for a button without an emoji',
    })
  }

  if (style === 'link') {
    refuseWith(from, 'customId', 'is not accepted for a button of the style "link"', violations)
    const before = violations.length
    const url = readUrl(from, 'url', limits.maxButtonUrl, violations)
    if (url !== undefined) button.url = url
    else if (violations.length === before) {
      addViolation(violations, {
        path: ['url'],
        rule: 'required',
        message: 'is required for a button of the style "link"',
      })
    }
  } else if (style !== undefined) {
    refuseWith(from, 'url', 'is accepted only for a button of the style "link"', violations)
    const customId = readCustomId(from, customIds, violations)
    if (customId !== undefined) button.customId = customId
  }

  const disabled = readBoolean(from, 'disabled', violations)
  if (disabled !== undefined) button.disabled = disabled
  return button
}

function refuseWith(from: Members, key: string, message: string, violations: ComponentViolation[]): void {
  if (!isAbsent(from[key])) addViolation(violations, { path: [key], rule: 'not_allowed', message })
}

/** Not normalised, because the bot gets it back in the interaction. */
function readCustomId(
  from: Members,
  taken: Set<string>,
  violations: ComponentViolation[],
): string | undefined {
  const path = ['customId']
  const value = from.customId
  if (isAbsent(value) || value === '') {
    addViolation(violations, {
      path,
      rule: 'required',
      message: 'is required for a button of another style than "link"',
    })
    return undefined
  }
  if (typeof value !== 'string') {
    addViolation(violations, { path, ...mustBe('string') })
    return undefined
  }
  if (!isSound(value)) {
    addViolation(violations, { path, ...invalidText })
    return undefined
  }
  if (isLonger(value, limits.maxCustomId)) {
    addViolation(violations, { path, ...tooLong(limits.maxCustomId) })
    return undefined
  }
  if (taken.has(value)) {
    addViolation(violations, {
      path,
      rule: 'duplicate',
      message: 'must differ from every other "customId" of the message',
    })
    return undefined
  }
  taken.add(value)
  return value
}

// One emoji as Unicode has it today, or any pictograph, joined or not, so that next year's are not refused.
const oneEmoji =
  /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*)$/v

function readEmoji(from: Members, violations: ComponentViolation[]): string | undefined {
  const before = violations.length
  const emoji = readName(from, 'emoji', limits.maxEmoji, violations)
  if (emoji === undefined || violations.length > before) return undefined
  if (oneEmoji.test(emoji)) return emoji
  addViolation(violations, { path: ['emoji'], rule: 'invalid_emoji', message: 'must be one emoji' })
  return undefined
}
