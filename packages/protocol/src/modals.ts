import * as v from 'valibot'
import {
  type ComponentMode,
  checkCustomIds,
  closedObjectIn,
  line,
  optionalIn,
  optionalLine,
} from './component-members.ts'
import { required, tooLong, tooShort, type Violation, type ViolationDetails } from './field-errors.ts'
import * as limits from './limits.ts'
import { parse } from './parse.ts'
import { cleaners, codePoints, isLonger } from './text.ts'
import {
  boolean,
  constant,
  integer,
  list,
  nullish,
  object,
  oneOf,
  optional,
  rule,
  string,
  text,
} from './wire.ts'

export const textInputStyles = ['short', 'paragraph'] as const

/* @__NO_SIDE_EFFECTS__ */
function textInput(mode: ComponentMode) {
  const max = limits.maxTextInput
  const value = 'The text that the field contains at first.'
  const schema = closedObjectIn(
    mode,
    {
      type: constant('text_input', 'The type of the component.'),
      customId: line(mode, limits.maxCustomId, 'Unique in the modal. The interaction contains it.', 'keep'),
      style: oneOf(textInputStyles, '`short`: one line. `paragraph`: several lines.'),
      label: line(mode, limits.maxTextInputLabel, 'The name of the field.'),
      description: optionalLine(mode, limits.maxTextInputDescription, 'A text below the label.'),
      placeholder: optionalLine(mode, limits.maxTextInputPlaceholder, 'What the empty field shows.'),
      minLength: optionalIn(
        mode,
        integer('The smallest number of characters of a text that is not empty.', { min: 0, max }),
      ),
      maxLength: optionalIn(
        mode,
        integer('The largest number of characters; 4000 by default.', { min: 1, max }),
      ),
      required: optionalIn(mode, boolean('Whether the user must fill it in; yes by default.')),
      value:
        mode === 'response'
          ? optional(string(value, { maxLength: max }))
          : nullish(text({ max, empty: 'absent' }), value),
    },
    'A field for text.',
  )
  return mode === 'response'
    ? schema
    : (v.pipe(schema, rule(checkTextInput, { always: true })) as unknown as typeof schema)
}

export const TextInput = textInput('response')
export type TextInput = v.InferOutput<typeof TextInput>

/* @__NO_SIDE_EFFECTS__ */
function modal(mode: ComponentMode) {
  const inputs = list(mode === 'response' ? TextInput : textInput(mode), 'The field.', { min: 1, max: 1 })
  const type = constant('row', 'The type of the component.')
  const row = closedObjectIn(mode, { type, components: inputs }, 'A row with a field.')
  const rows = list(row, 'Up to 5 rows with one field each.', { min: 1, max: limits.maxTextInputs })
  return closedObjectIn(
    mode,
    {
      customId: line(mode, limits.maxCustomId, 'The interaction contains it.', 'keep'),
      title: line(mode, limits.maxModalTitle, 'The title.'),
      components: mode === 'response' ? rows : v.pipe(rows, rule(checkCustomIds, { always: true })),
    },
    'A dialog with fields.',
  )
}

/** A dialog with fields that a bot opens for the user of an interaction (bots/modals). */
export const Modal = modal('response')
export type Modal = v.InferOutput<typeof Modal>

/** A modal of a request. */
export const ModalInput = modal('request')

/** The fields of a modal in their order. */
export function listTextInputs({ components }: Modal): TextInput[] {
  return components.flatMap(row => row.components)
}

/** Validates a modal. Paths begin with its members. `modal` is undefined if there are violations. */
export function checkModal(value: unknown): { modal: Modal | undefined; violations: Violation[] } {
  const { value: modal, violations } = parse(ModalInput, value)
  return { modal, violations: [...violations] }
}

/** A field of a request, as far as it could be read. */
interface FieldValues {
  style?: string
  minLength?: number
  maxLength?: number
  value?: string
}

/** Compares the members of a field. */
function checkTextInput({ style, minLength = 0, maxLength, value }: FieldValues): Violation[] {
  const violations: Violation[] = []
  if (maxLength !== undefined && maxLength < minLength) {
    const message = 'must not be less than minLength'
    violations.push({ path: ['maxLength'], code: 'out_of_range', message })
  }
  const inValue = style === 'short' && value !== undefined ? checkLine(value) : undefined
  if (inValue) violations.push({ path: ['value'], ...inValue })
  return violations
}

function checkLine(text: string): ViolationDetails | undefined {
  return /[\r\n\u2028\u2029]/.test(text)
    ? { code: 'invalid_format', message: 'must not contain line breaks' }
    : undefined
}

/** What a user entered in a field. */
export const EnteredField = object(
  {
    customId: text({ max: limits.maxCustomId, clean: 'keep', description: 'The `customId` of the field.' }),
    value: text({ max: limits.maxTextInput, description: 'The text, which may be empty.' }),
  },
  'What the user entered in a field.',
)
export type EnteredField = v.InferOutput<typeof EnteredField>

/** A text of a field, trimmed. Undefined if the field accepts it (bots/modal-values). */
export function checkFieldText(input: TextInput, text: string): ViolationDetails | undefined {
  const { minLength = 0, maxLength = limits.maxTextInput } = input
  if (text === '') return input.required === false ? undefined : required
  if (isLonger(text, maxLength)) return tooLong(maxLength)
  if (codePoints(text) < minLength) return tooShort(minLength)
  return input.style === 'short' ? checkLine(text) : undefined
}

/**
 * Validates what a user entered in a modal (bots/modal-values). Returns a text for each field, in the order of the
 * modal: `''` if it was not given. Paths begin with `components`, with the indexes of `given`. The messages name the
 * field.
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
    const value = cleaners.trim(given[index]?.value ?? '')
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
