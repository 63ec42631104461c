import { checkComponents } from '@gatehouse/protocol/components'
import { checkEmbeds } from '@gatehouse/protocol/embeds'
import {
  atLeast,
  atMost,
  type FieldError,
  formatPath,
  invalidText,
  mustBe,
  notAccepted,
  oneOf,
  range,
  required,
  toFieldErrors,
  type Violation,
} from '@gatehouse/protocol/field-errors'
import { checkAllowedMentions } from '@gatehouse/protocol/mentions'
import type { Check } from '@gatehouse/protocol/schema'
import { cleanLines, cleanName, isSound, type TextMode } from '@gatehouse/protocol/text'
import { Ajv, type ErrorObject, type KeywordDefinition, type SchemaValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import { invalidAll, notFound } from '../kit/app-error.ts'

// A test validates the schemas against their meta-schema, because compiling the meta-schema takes 250 ms at the start.
const options = {
  meta: false,
  validateSchema: false,
  allErrors: true,
  strict: false,
  useDefaults: true,
  removeAdditional: false,
  messages: true,
  // Adds the schema to each error: the messages contain the accepted values.
  verbose: true,
} as const

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ ...options, coerceTypes })
  // Lengths count after trimming and cleaning (limits/text-length), so the keyword changes the value before `maxLength` runs.
  ajv.addKeyword({
    keyword: 'text',
    type: 'string',
    schemaType: ['boolean', 'string'],
    modifying: true,
    before: 'maxLength',
    errors: true,
    validate: validateText,
  })
  return ajv
}

const cleaners = {
  true: (text: string) => text.trim(),
  keep: (text: string) => text,
  name: cleanName,
  lines: cleanLines,
} as const satisfies Record<`${TextMode}`, (text: string) => string>

const validateText: SchemaValidateFunction = (mode: TextMode, data: string, _schema, context) => {
  const fail = (rule: 'invalid_text' | 'too_short') => {
    validateText.errors = [{ keyword: 'text', params: { rule } }]
    return false
  }
  if (!isSound(data)) return fail('invalid_text')
  const cleaned = cleaners[`${mode}`](data)
  if (cleaned === data) return true
  // Whitespace is an empty field. Other text without visible characters is an error.
  if (cleaned === '' && data.trim() !== '') return fail('too_short')
  if (context && isIndexable(context.parentData)) {
    context.parentData[String(context.parentDataProperty)] = cleaned
  }
  return true
}

function isIndexable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const checks: Readonly<Record<Check, (value: unknown) => { violations: Violation[] }>> = {
  embeds: value => checkEmbeds(value),
  components: checkComponents,
  allowedMentions: value => checkAllowedMentions(value),
}

const runCheck: SchemaValidateFunction = (name: Check, value: unknown) => {
  const { violations } = checks[name](value)
  runCheck.errors = [{ keyword: 'check', params: { violations } }]
  return violations.length === 0
}

/** The keyword `check` of `Checked`. */
const checkKeyword: KeywordDefinition = { keyword: 'check', errors: true, validate: runCheck }

// Shared by all apps of a process, so that each schema is compiled once.
const bodyAjv = createAjv(false)
const coercingAjv = createAjv(true)
/**
 * Runs the checks too. It only collects the errors of a body that `bodyAjv` has rejected, so that one response lists all
 * of them. For other bodies the feature runs the checks, because it needs their results.
 */
const reportingAjv = createAjv(false).addKeyword(checkKeyword)

/**
 * The validator compiler of Fastify. Compiles each schema on first use. Gain: compiling all schemas at the start takes
 * longer than the one second that a start may take.
 */
export function compileValidator({
  schema,
  httpPart,
}: {
  schema: unknown
  httpPart?: string
}): (data: unknown) => boolean | { error: Error } {
  const ajv = httpPart === 'body' ? bodyAjv : coercingAjv
  let validate: ReturnType<Ajv['compile']> | undefined
  let collectErrors: ReturnType<Ajv['compile']> | undefined
  return data => {
    validate ??= ajv.compile(assertObject(schema))
    if (validate(data)) return true
    // A malformed id in the path is the id of nothing.
    if (httpPart === 'params') return { error: notFound() }
    if (httpPart !== 'body') return { error: invalidAll(fromAjvErrors(validate.errors ?? [])) }
    collectErrors ??= reportingAjv.compile(assertObject(schema))
    collectErrors(data)
    return { error: invalidAll(fromAjvErrors(collectErrors.errors ?? [])) }
  }
}

const serializers = new WeakMap<object, (data: unknown) => string>()

/** The serializer compiler of Fastify. Compiles each schema on first use, once per process. */
export function compileSerializer({ schema }: { schema: unknown }): (data: unknown) => string {
  const key = assertObject(schema)
  return data => {
    let serialize = serializers.get(key)
    if (serialize === undefined) {
      serialize = fastJson(key)
      serializers.set(key, serialize)
    }
    return serialize(data)
  }
}

function assertObject(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null) throw new TypeError('a schema must be an object')
  return schema
}

const maxFieldErrors = 50

function fromAjvErrors(errors: readonly ErrorObject[]): FieldError[] {
  return errors.slice(0, maxFieldErrors).flatMap(fromAjvError)
}

const codes: Readonly<Record<string, string>> = {
  required: 'required',
  additionalProperties: 'unknown_member',
  unevaluatedProperties: 'unknown_member',
  type: 'invalid_type',
  minLength: 'too_short',
  maxLength: 'too_long',
  pattern: 'invalid_format',
  format: 'invalid_format',
  enum: 'invalid_choice',
  const: 'invalid_choice',
  anyOf: 'invalid_choice',
  oneOf: 'invalid_choice',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  exclusiveMaximum: 'out_of_range',
  minItems: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'duplicate',
}

function fromAjvError(error: ErrorObject): FieldError[] {
  const { keyword, params, instancePath } = error
  if (keyword === 'check') {
    const violations: Violation[] = params.violations
    // The first step of the path is the name of the checked member, which `instancePath` contains already.
    const relative = violations.map(violation => ({ ...violation, path: violation.path.slice(1) }))
    return toFieldErrors(relative, fromPointer(instancePath))
  }
  const path = fromPointer(instancePath, params.missingProperty ?? params.additionalProperty)
  if (keyword === 'text') {
    if (params.rule === 'invalid_text') return [{ path, code: 'invalid_text', message: invalidText.message }]
    return [{ path, code: 'too_short', message: 'must have at least 1 visible character', min: 1 }]
  }
  return [{ path, code: codes[keyword] ?? 'invalid', ...describeAccepted(error) }]
}

/** The members of `parentSchema` that messages contain. */
interface Rule {
  description?: string
  minimum?: number
  maximum?: number
  properties?: object
}

function describeAccepted({
  keyword,
  params,
  parentSchema,
  message,
}: ErrorObject): Omit<FieldError, 'path' | 'code'> {
  const rule = (parentSchema ?? {}) as Rule
  switch (keyword) {
    case 'required':
      return { message: required.message }
    case 'additionalProperties':
      return notAccepted(Object.keys(rule.properties ?? {}))
    case 'type': {
      const { message, accepted } = mustBe(...[params.type].flat())
      return { message, accepted }
    }
    case 'enum':
      return oneOf(params.allowedValues)
    case 'const':
      return oneOf([params.allowedValue])
    case 'minimum':
    case 'maximum':
      return range(rule.minimum, rule.maximum)
    case 'minLength':
      return { message: atLeast(params.limit, 'character'), min: params.limit }
    case 'maxLength':
      return { message: atMost(params.limit, 'character'), max: params.limit }
    case 'minItems':
      return { message: atLeast(params.limit, 'entry'), min: params.limit }
    case 'maxItems':
      return { message: atMost(params.limit, 'entry'), max: params.limit }
    case 'uniqueItems':
      return { message: 'must not contain the same entry twice' }
    case 'pattern':
    case 'format':
      return {
        message: `must have this form: ${rule.description?.replace(/\.$/, '') ?? params.pattern ?? params.format}`,
      }
    default:
      return { message: message ?? 'is not valid' }
  }
}

/** Converts the JSON Pointer (RFC 6901) `/options/0/name` to `options[0].name`. */
function fromPointer(pointer: string, last?: unknown): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (typeof last === 'string') parts.push(last)
  return formatPath(parts.map(part => (/^\d+$/.test(part) ? Number(part) : part)))
}
