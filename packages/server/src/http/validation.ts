import { isDefinition } from '@gatehouse/protocol/bridge'
import {
  invalidText,
  mustBe,
  oneOf,
  outOfRange,
  type Path,
  required,
  toFieldErrors,
  tooFew,
  tooLong,
  tooMany,
  tooShort,
  unknownMember,
  type Violation,
  type ViolationDetails,
} from '@gatehouse/protocol/field-errors'
import { parse } from '@gatehouse/protocol/parse'
import { type Check, checkRules, nullable } from '@gatehouse/protocol/schema'
import { cleaners, isValidText, type TextMode } from '@gatehouse/protocol/text'
import { original } from '@gatehouse/protocol/type'
import type { Schema } from '@gatehouse/protocol/wire'
import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import { invalidAll, notFound } from '../kit/app-error.ts'
import { inlineDefinitions, toJsonSchema } from './json-schema.ts'

// A test validates the schemas against their meta-schema, because compiling the meta-schema takes 250 ms at the start.
const options = {
  meta: false,
  validateSchema: false,
  strict: false,
  useDefaults: true,
  removeAdditional: false,
  // `describe` writes the messages.
  messages: false,
  // Adds the schema to each error: the messages contain the accepted values.
  verbose: true,
  // `runCheck` reads whether to check from the `this` of the validation.
  passContext: true,
  // Formats are for the API document.
  validateFormats: false,
} as const

function createAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({ ...options, allErrors })
  // Lengths count after trimming and cleaning (limits/text-length), so the keyword changes the value before `maxLength` runs.
  ajv.addKeyword({
    // `x-text` is that of definitions.
    keyword: ['text', 'x-text'],
    type: 'string',
    schemaType: ['boolean', 'string'],
    modifying: true,
    before: 'maxLength',
    errors: true,
    validate: validateText,
  })
  return ajv.addKeyword({ keyword: 'check', errors: true, validate: runCheck })
}

const validateText: SchemaValidateFunction = (mode: TextMode, data: string, _schema, context) => {
  const fail = (violation: ViolationDetails) => {
    validateText.errors = [{ keyword: 'text', params: { violation } }]
    return false
  }
  if (!isValidText(data)) return fail(invalidText)
  const cleaned = cleaners[`${mode}`](data)
  if (cleaned === data) return true
  // Whitespace is an empty field. Other text without visible characters is an error.
  if (cleaned === '' && data.trim() !== '') return fail(tooShort(1, 'visible character'))
  if (context && isIndexable(context.parentData)) {
    context.parentData[String(context.parentDataProperty)] = cleaned
  }
  return true
}

function isIndexable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The `this` of a validation that runs the checks. */
const withChecks = {}

/**
 * The keyword `check` of `Documented`. It runs only if the schema found another error, to list all errors of the body. Otherwise the
 * feature runs the check, because it needs the result.
 */
const runCheck: SchemaValidateFunction = function (this: unknown, check: Check, value: unknown) {
  if (this !== withChecks) return true
  const violations = check(value)
  runCheck.errors = [{ keyword: 'check', params: { violations } }]
  return violations.length === 0
}

// Shared by all apps of a process, so that each schema is compiled once.
const firstErrorAjv = createAjv(false)
const allErrorsAjv = createAjv(true)

/** The normalized value, which Fastify passes on, or 400, or 404 for a path parameter. */
export type Validated = { value: unknown; error?: never } | { error: Error }

/**
 * The validator compiler of Fastify. Compiles each schema on first use, for speed: compiling all schemas at the start takes
 * longer than the one second that a start may take.
 */
export function compileValidator({
  schema,
  httpPart,
}: {
  schema: unknown
  httpPart?: string
}): (data: unknown) => Validated {
  if (typeof schema === 'object' && schema !== null && isDefinition(schema)) {
    return validatorOf(schema, httpPart)
  }
  let validate: ReturnType<Ajv['compile']> | undefined
  let validateAll: ReturnType<Ajv['compile']> | undefined
  return data => {
    validate ??= firstErrorAjv.compile(inlineDefinitions(assertObject(schema)))
    if (httpPart === 'querystring') parseIntegers(schema, data)
    if (validate(data)) {
      const violations = checkRules(assertObject(schema), data)
      return violations.length === 0 ? { value: data } : { error: invalidAll(toFieldErrors(violations)) }
    }
    // A malformed id in the path is the id of nothing.
    if (httpPart === 'params') return { error: notFound() }
    // All errors of a large body would block the event loop (limits/invalid-body).
    if (httpPart === 'body' && hasMoreValues(data, maxValuesForAllErrors)) return toResult(validate.errors)
    validateAll ??= allErrorsAjv.compile(inlineDefinitions(assertObject(schema)))
    // With the checks, so that one response lists all errors of the body.
    validateAll.call(httpPart === 'body' ? withChecks : undefined, data)
    return toResult(validateAll.errors)
  }
}

/** Validates with a definition. */
function validatorOf(schema: Schema, httpPart: string | undefined): (data: unknown) => Validated {
  return data => {
    if (httpPart === 'querystring') parseIntegers(toJsonSchema(schema), data)
    const { value, violations } = parse(schema, data)
    if (violations.length === 0) return { value }
    // A malformed id in the path is the id of nothing.
    if (httpPart === 'params') return { error: notFound() }
    return { error: invalidAll(toFieldErrors(violations.slice(0, maxSchemaErrors))) }
  }
}

function toResult(errors: readonly ErrorObject[] | null | undefined): { error: Error } {
  const reported = (errors ?? []).slice(0, maxSchemaErrors)
  return { error: invalidAll(toFieldErrors(reported.flatMap(toViolations))) }
}

/** Whether the value and those in it are more than `max`. Stops counting there. */
function hasMoreValues(value: unknown, max: number): boolean {
  let left = max
  function exceeds(each: unknown): boolean {
    if (--left < 0) return true
    if (Array.isArray(each)) return each.some(exceeds)
    if (!isIndexable(each)) return false
    // Does not make a list of the values, of which there can be a hundred thousand.
    for (const name in each) if (exceeds(each[name])) return true
    return false
  }
  return exceeds(value)
}

/**
 * Replaces the integers of a query, which are strings, with numbers. The coercion of Ajv would accept all that JavaScript converts
 * to a number: ` 1`, `1e1` and `0x1`.
 */
function parseIntegers(schema: unknown, query: unknown): void {
  const { properties = {} } = assertObject(schema) as { properties?: Record<string, { type?: unknown }> }
  if (!isIndexable(query)) return
  for (const [name, { type }] of Object.entries(properties)) {
    const value = query[name]
    if (type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value))
      query[name] = Number(value)
  }
}

const serializers = new WeakMap<object, (data: unknown) => string>()

/** The serializer compiler of Fastify. Compiles each schema on first use, once per process. */
export function compileSerializer({ schema }: { schema: unknown }): (data: unknown) => string {
  const key = assertObject(schema)
  return data => {
    let serialize = serializers.get(key)
    if (serialize === undefined) {
      serialize = fastJson(isDefinition(key) ? toJsonSchema(key, { merged: true }) : inlineDefinitions(key))
      serializers.set(key, serialize)
    }
    return serialize(data)
  }
}

function assertObject(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null) throw new TypeError('a schema must be an object')
  return schema
}

const maxSchemaErrors = 50
const maxValuesForAllErrors = 5000

function toViolations(error: ErrorObject): Violation<string>[] {
  const { keyword, params, instancePath } = error
  const path = parsePointer(instancePath, params.missingProperty ?? params.additionalProperty)
  if (keyword !== 'check') return [{ path, ...describe(error) }]
  // The first step of their paths is the name of the checked member, which `instancePath` contains already.
  const violations: Violation[] = params.violations
  return violations.map(violation => ({ ...violation, path: [...path, ...violation.path.slice(1)] }))
}

/** The members of `parentSchema` that messages contain. */
interface Rule {
  description?: string
  minimum?: number
  maximum?: number
  properties?: object
  [original]?: Rule
  [nullable]?: Rule
}

/** The description of the form, which a member that has its own description does not have. */
function describeForm(rule: Rule): string | undefined {
  const copied = rule[original] ?? rule[nullable]
  return copied ? describeForm(copied) : rule.description?.replace(/\.$/, '')
}

function describe({ keyword, params, parentSchema }: ErrorObject): ViolationDetails<string> {
  const rule = (parentSchema ?? {}) as Rule
  switch (keyword) {
    case 'text':
      return params.violation
    case 'required':
      return required
    case 'additionalProperties':
      return unknownMember(Object.keys(rule.properties ?? {}))
    case 'type':
      return mustBe(...[params.type].flat())
    case 'enum':
      return oneOf(params.allowedValues)
    case 'const':
      return oneOf([params.allowedValue])
    case 'minimum':
    case 'maximum':
      return outOfRange(rule.minimum, rule.maximum)
    case 'minLength':
      return tooShort(params.limit)
    case 'maxLength':
      return tooLong(params.limit)
    case 'minItems':
      return tooFew(params.limit)
    case 'maxItems':
      return tooMany(params.limit)
    case 'pattern':
      return {
        code: 'invalid_format',
        message: `must have this form: ${describeForm(rule) ?? params.pattern}`,
      }
    default:
      return { code: 'invalid', message: 'is not valid' }
  }
}

/** Parses a JSON Pointer (RFC 6901): `/options/0/name`. `member` is a member of the value. */
function parsePointer(pointer: string, member?: string): Path {
  const parts = pointer.split('/').slice(1)
  const names = parts.map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (member !== undefined) names.push(member)
  return names.map(name => (/^\d+$/.test(name) ? Number(name) : name))
}
