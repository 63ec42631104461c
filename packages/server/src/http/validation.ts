import { Ajv, type ErrorObject } from 'ajv'
import fastJson from 'fast-json-stringify'
import { AppError, type Fault } from '../kit/app-error.ts'

// The schemas are ours and a test holds them against their meta-schema: to compile that one takes a quarter of a second.
const options = {
  meta: false,
  validateSchema: false,
  allErrors: true,
  strict: false,
  useDefaults: true,
  removeAdditional: false,
  messages: true,
} as const

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ ...options, coerceTypes })
  // D8: U+0000 and lone surrogates are refused in every text field; lengths count after trimming (`text: true`).
  ajv.addKeyword({
    keyword: 'text',
    type: 'string',
    schemaType: ['boolean', 'string'],
    modifying: true,
    before: 'maxLength',
    errors: false,
    validate(
      mode: boolean | string,
      data: string,
      _schema: unknown,
      at?: { parentData: unknown; parentDataProperty: unknown },
    ) {
      if (data.includes('\u0000') || !data.isWellFormed()) return false
      if (mode === true && at && isIndexable(at.parentData)) {
        const trimmed = data.trim()
        if (trimmed !== data) at.parentData[String(at.parentDataProperty)] = trimmed
      }
      return true
    },
  })
  return ajv
}

function isIndexable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** One for all apps of a process: each schema is compiled once in it. */
const strict = createAjv(false)
const lenient = createAjv(true)

/**
 * Validators for Fastify, each compiled when it is first used: a start that compiles every schema of the service would
 * take longer than the second that it has.
 */
export function compileValidator({
  schema,
  httpPart,
}: {
  schema: unknown
  httpPart?: string
}): (data: unknown) => boolean | { error: Error } {
  const ajv = httpPart === 'body' ? strict : lenient
  let validate: ReturnType<Ajv['compile']> | undefined
  return data => {
    validate ??= ajv.compile(parseSchema(schema))
    if (validate(data)) return true
    const errors = (validate.errors ?? []).slice(0, 50).map(toFault)
    // An id in the address that cannot be one: what it names is not there.
    if (httpPart === 'params') return { error: new AppError('not_found', notFoundText) }
    return { error: new AppError('validation_failed', 'The request is not valid.', { errors }) }
  }
}

const notFoundText = 'There is nothing here, or nothing that you may see.'

const serializers = new WeakMap<object, (data: unknown) => string>()

/** Serialisers for Fastify, from the same schemas, each compiled when it is first used, once in a process. */
export function compileSerializer({ schema }: { schema: unknown }): (data: unknown) => string {
  const key = parseSchema(schema)
  return data => {
    let serialize = serializers.get(key)
    if (serialize === undefined) {
      serialize = fastJson(key)
      serializers.set(key, serialize)
    }
    return serialize(data)
  }
}

function parseSchema(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null) throw new TypeError('a schema is an object')
  return schema
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
  text: 'invalid_text',
}

function toFault(error: ErrorObject): Fault {
  const missing = error.keyword === 'required' ? error.params.missingProperty : undefined
  const extra = error.keyword === 'additionalProperties' ? error.params.additionalProperty : undefined
  const path = pathOf(error.instancePath, missing ?? extra)
  const message =
    error.keyword === 'text'
      ? 'must not contain U+0000 or half of a surrogate pair'
      : error.keyword === 'required'
        ? 'is required'
        : error.keyword === 'additionalProperties'
          ? 'is not known here'
          : (error.message ?? 'is not valid')
  return { path, code: codes[error.keyword] ?? 'invalid', message }
}

/** `/options/0/name` of JSON Pointer (RFC 6901) as `options[0].name`. */
function pathOf(pointer: string, last: unknown): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (typeof last === 'string') parts.push(last)
  return parts.reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
    '',
  )
}
