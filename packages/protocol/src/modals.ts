import type { Static } from 'typebox'
import { readCustomId } from './components.ts'
import {
  addViolation,
  mustBe,
  oneOf,
  required,
  tooLong,
  tooShort,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import {
  isAbsent,
  isJsonObject,
  type JsonObject,
  readBoolean,
  readInteger,
  readObjects,
  readText,
  rejectUnknownMembers,
  requireText,
} from './json-object.ts'
import * as limits from './limits.ts'
import { closed, Nullable, OneOf } from './schema.ts'
import { cleaners, codePoints, isLonger, Text } from './text.ts'
import { Type } from './type.ts'

export const textInputStyles = ['short', 'paragraph'] as const

const RowType = OneOf(['row'], { description: 'The type of the component.' })
const TextInputType = OneOf(['text_input'], { description: 'The type of the component.' })
const TextInputStyle = OneOf(textInputStyles, {
  description: '`short`: one line. `paragraph`: several lines.',
})

export const TextInput = Type.Object(
  {
    type: TextInputType,
    customId: Type.String({
      description: 'Up to 100 characters, unique in the modal. The interaction contains it.',
    }),
    style: TextInputStyle,
    label: Type.String({ description: 'The name of the field: up to 45 characters.' }),
    placeholder: Type.Optional(
      Type.String({ description: 'What the empty field shows: up to 100 characters.' }),
    ),
    minLength: Type.Optional(
      Type.Integer({ description: 'The smallest number of characters of a text that is not empty.' }),
    ),
    maxLength: Type.Optional(
      Type.Integer({ description: 'The largest number of characters; 4000 by default.' }),
    ),
    required: Type.Optional(
      Type.Boolean({ description: 'Whether the user must fill it in; yes by default.' }),
    ),
    value: Type.Optional(Type.String({ description: 'The text that the field contains at first.' })),
  },
  closed('A field for text.'),
)
export type TextInput = Static<typeof TextInput>

const TextInputRow = Type.Object(
  { type: RowType, components: Type.Array(TextInput, { description: 'One field.' }) },
  closed('A row with a field.'),
)

/** A dialog with fields that a bot opens for the user of an interaction (bots/modals). */
export const Modal = Type.Object(
  {
    customId: Type.String({ description: 'Up to 100 characters. The interaction contains it.' }),
    title: Type.String({ description: 'Up to 45 characters.' }),
    components: Type.Array(TextInputRow, { description: '1 to 5 rows with one field each.' }),
  },
  closed('A dialog with fields.'),
)
export type Modal = Static<typeof Modal>

const TextInputInput = Type.Object(
  {
    type: TextInputType,
    customId: Type.String({
      minLength: 1,
      maxLength: limits.maxCustomId,
      description: 'Unique in the modal. The interaction contains it.',
    }),
    style: TextInputStyle,
    label: Type.String({
      minLength: 1,
      maxLength: limits.maxTextInputLabel,
      description: 'The name of the field.',
    }),
    placeholder: Type.Optional(
      Nullable(Type.String({ maxLength: limits.maxTextInputPlaceholder }), {
        description: 'What the empty field shows.',
      }),
    ),
    minLength: Type.Optional(
      Nullable(Type.Integer({ minimum: 0, maximum: limits.maxTextInput }), {
        description: 'The smallest number of characters of a text that is not empty.',
      }),
    ),
    maxLength: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: limits.maxTextInput }), {
        description: 'The largest number of characters; 4000 by default.',
      }),
    ),
    required: Type.Optional(
      Nullable(Type.Boolean(), { description: 'Whether the user must fill it in; yes by default.' }),
    ),
    value: Type.Optional(
      Nullable(Type.String({ maxLength: limits.maxTextInput }), {
        description: 'The text that the field contains at first.',
      }),
    ),
  },
  closed('A field for text.'),
)

/** A modal of a request, for the API document: `checkModal` validates. */
export const ModalInput = Type.Object(
  {
    customId: Type.String({
      minLength: 1,
      maxLength: limits.maxCustomId,
      description: 'The interaction contains it.',
    }),
    title: Type.String({ minLength: 1, maxLength: limits.maxModalTitle, description: 'The title.' }),
    components: Type.Array(
      Type.Object(
        {
          type: RowType,
          components: Type.Array(TextInputInput, { minItems: 1, maxItems: 1, description: 'The field.' }),
        },
        closed('A row with a field.'),
      ),
      { minItems: 1, maxItems: limits.maxTextInputs, description: 'Up to 5 rows with one field each.' },
    ),
  },
  closed('A dialog with fields.'),
)

/** The fields of a modal in their order. */
export function listTextInputs({ components }: Modal): TextInput[] {
  return components.flatMap(row => row.components)
}

/** Validates a modal. Paths begin with its members. `modal` is undefined if there are violations. */
export function checkModal(value: unknown): { modal: Modal | undefined; violations: Violation[] } {
  const violations: Violation[] = []
  if (!isJsonObject(value)) return { modal: undefined, violations: [{ path: [], ...mustBe('object') }] }
  rejectUnknownMembers(value, ['customId', 'title', 'components'], violations)
  const customId = readCustomId(value, new Set(), violations) ?? ''
  const title = requireText(value, 'title', limits.maxModalTitle, violations, cleaners.name) ?? ''
  const components: Modal['components'] = []
  const customIds = new Set<string>()
  const count = { min: 1, max: limits.maxTextInputs }
  readRequiredObjects(value, count, violations, row => {
    rejectUnknownMembers(row, ['type', 'components'], violations)
    if (row.type !== 'row') addViolation(violations, { path: ['type'], ...oneOf(['row']) })
    const inputs: TextInput[] = []
    readRequiredObjects(row, { min: 1, max: 1 }, violations, item => {
      inputs.push(readTextInput(item, customIds, violations))
    })
    components.push({ type: 'row', components: inputs })
  })
  return { modal: violations.length === 0 ? { customId, title, components } : undefined, violations }
}

function readRequiredObjects(
  from: JsonObject,
  count: { min: number; max: number },
  violations: Violation[],
  read: (item: JsonObject) => void,
): void {
  const path = ['components']
  if (isAbsent(from.components)) addViolation(violations, { path, ...required })
  else readObjects(from.components, path, count, violations, read)
}

const textInputMembers = [
  'type',
  'customId',
  'style',
  'label',
  'placeholder',
  'minLength',
  'maxLength',
  'required',
  'value',
]

function readTextInput(from: JsonObject, customIds: Set<string>, violations: Violation[]): TextInput {
  rejectUnknownMembers(from, textInputMembers, violations)
  if (from.type !== 'text_input') addViolation(violations, { path: ['type'], ...oneOf(['text_input']) })
  const customId = readCustomId(from, customIds, violations) ?? ''
  const style = textInputStyles.find(known => known === from.style)
  if (style === undefined) addViolation(violations, { path: ['style'], ...oneOf(textInputStyles) })
  const label = requireText(from, 'label', limits.maxTextInputLabel, violations, cleaners.name) ?? ''
  const placeholder = readText(from, 'placeholder', limits.maxTextInputPlaceholder, violations, cleaners.name)
  const max = limits.maxTextInput
  const minLength = readInteger(from, 'minLength', { min: 0, max }, violations)
  const maxLength = readInteger(from, 'maxLength', { min: 1, max }, violations)
  if (minLength !== undefined && maxLength !== undefined && maxLength < minLength) {
    const message = 'must not be less than minLength'
    addViolation(violations, { path: ['maxLength'], code: 'out_of_range', message })
  }
  const isRequired = readBoolean(from, 'required', violations)
  const value = readText(from, 'value', max, violations)
  if (style === 'short' && value !== undefined) {
    const violation = checkLine(value)
    if (violation) addViolation(violations, { path: ['value'], ...violation })
  }
  return {
    type: 'text_input',
    customId,
    style: style ?? 'short',
    label,
    ...(placeholder !== undefined && { placeholder }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(isRequired !== undefined && { required: isRequired }),
    ...(value !== undefined && { value }),
  }
}

function checkLine(text: string): ViolationDetails | undefined {
  return /[\r\n\u2028\u2029]/.test(text)
    ? { code: 'invalid_format', message: 'must not contain line breaks' }
    : undefined
}

/** What a user entered in a field. */
export const EnteredField = Type.Object(
  {
    customId: Text({ max: limits.maxCustomId, trim: 'keep', description: 'The `customId` of the field.' }),
    value: Text({ max: limits.maxTextInput, description: 'The text, which may be empty.' }),
  },
  closed('What the user entered in a field.'),
)
export type EnteredField = Static<typeof EnteredField>

/** A text of a field, trimmed. Undefined if the field accepts it (bots/modal-values). */
export function checkFieldText(input: TextInput, text: string): ViolationDetails | undefined {
  const { minLength = 0, maxLength = limits.maxTextInput } = input
  if (text === '') return input.required === false ? undefined : required
  if (isLonger(text, maxLength)) return tooLong(maxLength)
  if (codePoints(text) < minLength) return tooShort(minLength)
  return input.style === 'short' ? checkLine(text) : undefined
}

/**
 * Validates what a user entered in a modal (bots/modal-values). Returns a text for each field, in the order of the modal: `''`
 * if it was not given. Paths begin with `components`, with the indexes of `given`. The messages name the field.
 */
export function checkFields(
  modal: Modal,
  given: readonly EnteredField[],
): { fields: EnteredField[]; violations: Violation[] } {
  const violations: Violation[] = []
  const inputs = listTextInputs(modal)
  for (const [index, { customId }] of given.entries()) {
    const path = ['components', index, 'customId']
    if (!inputs.some(input => input.customId === customId)) {
      violations.push({
        path,
        code: 'unknown_member',
        message: 'must be the customId of a field of the modal',
      })
    } else if (given.findIndex(other => other.customId === customId) !== index) {
      violations.push({ path, code: 'duplicate', message: 'must differ from every other "customId"' })
    }
  }
  const fields = inputs.map(input => {
    const { customId } = input
    const index = given.findIndex(other => other.customId === customId)
    const value = cleaners.true(given[index]?.value ?? '')
    const violation = checkFieldText(input, value)
    if (violation && index < 0) {
      const message = `must include ${JSON.stringify(customId)}`
      violations.push({ path: ['components'], ...violation, message })
    } else if (violation) {
      const message = `${violation.message} (field ${JSON.stringify(input.label)})`
      violations.push({ path: ['components', index, 'value'], ...violation, message })
    }
    return { customId, value }
  })
  return { fields, violations }
}
