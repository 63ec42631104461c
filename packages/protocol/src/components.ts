import type { Static } from 'typebox'
import { addViolation, mustBe, oneOf, type Violation } from './field-errors.ts'
import {
  isAbsent,
  type JsonObject,
  readBoolean,
  readObjects,
  readText,
  readUrl,
  rejectUnknownMembers,
} from './json-object.ts'
import * as limits from './limits.ts'
import { closed, Documented, Nullable, OneOf, Variants } from './schema.ts'
import { checkText, cleaners } from './text.ts'
import { Type } from './type.ts'

export const buttonStyles = ['primary', 'secondary', 'success', 'danger', 'link'] as const

export const ButtonStyle = OneOf(buttonStyles, { description: '`link` has `url`, the others `customId`.' })
export type ButtonStyle = Static<typeof ButtonStyle>

const ButtonType = OneOf(['button'], { description: 'The type of the component.' })
const RowType = OneOf(['row'], { description: 'The type of the component.' })

export const Button = Type.Object(
  {
    type: ButtonType,
    style: ButtonStyle,
    label: Type.Optional(Type.String({ description: 'The text: up to 80 characters.' })),
    emoji: Type.Optional(Type.String({ description: 'One emoji.' })),
    customId: Type.Optional(
      Type.String({
        description: 'Up to 100 characters, unique in the message. The interaction contains it.',
      }),
    ),
    url: Type.Optional(
      Type.String({ description: 'The URL that it opens: http or https, up to 512 characters.' }),
    ),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether it cannot be pressed.' })),
  },
  closed('A button with a label, an emoji or both.'),
)
export type Button = Static<typeof Button>

export const Row = Type.Object(
  { type: RowType, components: Type.Array(Button, { description: '1 to 5 buttons.' }) },
  closed('A row of buttons.'),
)
export type Row = Static<typeof Row>

const buttonInput = {
  type: ButtonType,
  label: Type.Optional(
    Nullable(Type.String({ maxLength: limits.maxButtonLabel }), {
      description: 'The text; required without an emoji.',
    }),
  ),
  emoji: Type.Optional(Nullable(Type.String({ maxLength: limits.maxEmoji }), { description: 'One emoji.' })),
  disabled: Type.Optional(Nullable(Type.Boolean(), { description: 'Whether it cannot be pressed.' })),
}

/** A button of a request that opens a URL, for the API document. */
export const LinkButtonInput = Type.Object(
  {
    ...buttonInput,
    style: OneOf(['link'], { description: 'The style of a button that opens a URL.' }),
    url: Type.String({
      format: 'uri',
      maxLength: limits.maxButtonUrl,
      description: 'The URL that it opens: http or https.',
    }),
  },
  closed('A button that opens a URL.'),
)

/** A button of a request that the bot responds to, for the API document. */
export const ActionButtonInput = Type.Object(
  {
    ...buttonInput,
    style: OneOf(['primary', 'secondary', 'success', 'danger'], { description: 'The color of the button.' }),
    customId: Type.String({
      minLength: 1,
      maxLength: limits.maxCustomId,
      description: 'Unique in the message. The interaction contains it.',
    }),
  },
  closed('A button that the bot responds to.'),
)

export const ButtonInput = Variants('style', [LinkButtonInput, ActionButtonInput], 'A button.')

export const RowInput = Type.Object(
  {
    type: RowType,
    components: Type.Array(ButtonInput, {
      minItems: 1,
      maxItems: limits.maxButtonsPerRow,
      description: 'The buttons.',
    }),
  },
  closed('A row of buttons.'),
)

/** `components` of a request body: unknown until `checkComponents` has validated it. */
export const ComponentsInput = Documented(
  Nullable(Type.Array(RowInput, { maxItems: limits.maxRows })),
  'Up to 5 rows of buttons; null and [] are none.',
  value => checkComponents(value).violations,
)

/**
 * Validates `components` of a message: up to 5 rows with 1 to 5 buttons each. A button of the style `link` has `url` and no
 * `customId`, other buttons have `customId` and no `url`. Each has a label or an emoji, and each `customId` occurs once.
 * Paths begin with `components`. `components` is `[]` if it is absent or there are violations.
 */
export function checkComponents(value: unknown): { components: Row[]; violations: Violation[] } {
  const components: Row[] = []
  const violations: Violation[] = []
  if (isAbsent(value)) return { components, violations }
  const customIds = new Set<string>()
  readObjects(value, ['components'], { max: limits.maxRows }, violations, item => {
    components.push(readRow(item, customIds, violations))
  })
  return { components: violations.length === 0 ? components : [], violations }
}

function readRow(row: JsonObject, customIds: Set<string>, violations: Violation[]): Row {
  const components: Button[] = []
  rejectUnknownMembers(row, ['type', 'components'], violations)
  if (row.type !== 'row') {
    addViolation(violations, { path: ['type'], ...oneOf(['row']) })
  }
  const path = ['components']
  if (isAbsent(row.components)) addViolation(violations, { path, ...mustBe('array'), code: 'required' })
  else {
    readObjects(row.components, path, { min: 1, max: limits.maxButtonsPerRow }, violations, item => {
      components.push(readButton(item, customIds, violations))
    })
  }
  return { type: 'row', components }
}

const buttonMembers = ['type', 'style', 'label', 'emoji', 'customId', 'url', 'disabled']

function readButton(from: JsonObject, customIds: Set<string>, violations: Violation[]): Button {
  rejectUnknownMembers(from, buttonMembers, violations)
  if (from.type !== 'button') {
    addViolation(violations, { path: ['type'], ...oneOf(['button']) })
  }
  const style = buttonStyles.find(known => known === from.style)
  if (style === undefined) {
    addViolation(violations, { path: ['style'], ...oneOf(buttonStyles) })
  }
  const button: Button = { type: 'button', style: style ?? 'secondary' }

  const beforeFace = violations.length
  const label = readText(from, 'label', limits.maxButtonLabel, violations, cleaners.name)
  if (label !== undefined) button.label = label
  const emoji = readEmoji(from, violations)
  if (emoji !== undefined) button.emoji = emoji
  if (label === undefined && emoji === undefined && violations.length === beforeFace) {
    addViolation(violations, {
      path: ['label'],
      code: 'required',
      message: 'is required for a button without an emoji',
    })
  }

  if (style === 'link') {
    rejectMember(from, 'customId', 'is not accepted for a button of the style "link"', violations)
    const before = violations.length
    const url = readUrl(from, 'url', limits.maxButtonUrl, violations)
    if (url !== undefined) button.url = url
    else if (violations.length === before) {
      addViolation(violations, {
        path: ['url'],
        code: 'required',
        message: 'is required for a button of the style "link"',
      })
    }
  } else if (style !== undefined) {
    rejectMember(from, 'url', 'is accepted only for a button of the style "link"', violations)
    const customId = readCustomId(from, customIds, violations)
    if (customId !== undefined) button.customId = customId
  }

  const disabled = readBoolean(from, 'disabled', violations)
  if (disabled !== undefined) button.disabled = disabled
  return button
}

function rejectMember(from: JsonObject, key: string, message: string, violations: Violation[]): void {
  if (!isAbsent(from[key])) addViolation(violations, { path: [key], code: 'not_allowed', message })
}

/** Not normalized, because the bot receives it in the interaction. */
function readCustomId(from: JsonObject, taken: Set<string>, violations: Violation[]): string | undefined {
  const path = ['customId']
  const value = from.customId
  if (isAbsent(value) || value === '') {
    addViolation(violations, {
      path,
      code: 'required',
      message: 'is required for a button of another style than "link"',
    })
    return undefined
  }
  const { text, violation } = checkText(value, limits.maxCustomId, cleaners.keep)
  if (violation) addViolation(violations, { path, ...violation })
  if (violation || text === undefined) return undefined
  if (taken.has(text)) {
    addViolation(violations, {
      path,
      code: 'duplicate',
      message: 'must differ from every other "customId" of the message',
    })
    return undefined
  }
  taken.add(text)
  return text
}

/**
 * One emoji of this Unicode version, or any pictographs joined by U+200D, so that emoji of later versions are accepted. The
 * expression is in the function, so that V8 parses it at the first use and not at the start, which takes 25 ms.
 */
function isEmoji(text: string): boolean {
  return /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)*)$/v.test(
    text,
  )
}

function readEmoji(from: JsonObject, violations: Violation[]): string | undefined {
  const before = violations.length
  const emoji = readText(from, 'emoji', limits.maxEmoji, violations, cleaners.name)
  if (emoji === undefined || violations.length > before) return undefined
  if (isEmoji(emoji)) return emoji
  addViolation(violations, { path: ['emoji'], code: 'invalid_emoji', message: 'must be one emoji' })
  return undefined
}
