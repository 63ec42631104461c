import fc, { type Arbitrary } from 'fast-check'

/** A schema of the API document, without references. */
export interface Schema {
  type?: string | readonly string[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
  contentSchema?: Schema
  additionalProperties?: unknown
}

interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  schema: Schema
}

export interface Operation {
  method: string
  path: string
  parameters: Parameter[]
  /** The media types of the body. */
  bodies: { type: string; schema: Schema }[]
}

/** Replaces references (RFC 6901) to other parts of the document. No schema contains itself. */
function resolveReferences(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map(item => resolveReferences(item, document))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') {
    const names = value.$ref.split('/').slice(1)
    const target = names.reduce<unknown>((node, name) => Reflect.get(Object(node), name), document)
    return resolveReferences(target, document)
  }
  const members = Object.entries(value).map(([name, member]) => [name, resolveReferences(member, document)])
  return Object.fromEntries(members)
}

/** Reads the operations of an OpenAPI document. */
export function listOperations(document: { paths: Readonly<Record<string, object>> }): Operation[] {
  const { paths } = resolveReferences(document, document) as typeof document
  return Object.entries(paths).flatMap(([path, item]) => {
    const inPath = 'parameters' in item ? (item.parameters as Parameter[]) : []
    const operations = Object.entries(item).filter(([name]) => name !== 'parameters')
    return operations.map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: [...inPath, ...(operation.parameters ?? [])],
      bodies: Object.entries<{ schema: Schema }>(operation.requestBody?.content ?? {}).map(
        ([type, { schema = {} }]) => ({
          type: type.startsWith('multipart') ? `${type}; boundary=x` : type,
          schema,
        }),
      ),
    }))
  })
}

/** Values of members that refer to something that exists. Undefined: the member is left out. */
export type KnownMembers = Readonly<Record<string, unknown>>

const letters = fc.constantFrom(...'abcdefghijklmnop')
const characters = fc.constantFrom(...'abcdefghijklmnopqrABC789-_.é я😀')

function stringOf({ minLength = 0, maxLength = 100, pattern, format }: Schema): Arbitrary<string> {
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'], size: 'small' })
  if (format === 'date-time') return fc.constant('2026-01-15T12:00:00.000Z')
  // Times, mail addresses and names of commands: most texts that fast-check makes of these patterns do not exist.
  if (pattern?.includes('-('))
    return fc.constantFrom('2026-01-31', '2026-01-31T12:00:00Z', '2026-01-31 12:00+01:00', '')
  if (pattern?.includes('@['))
    return fc.string({ unit: letters, minLength: 1, maxLength: 20 }).map(name => `${name}@example.org`)
  if (pattern?.includes('{Ll}')) return fc.string({ unit: letters, minLength: 1, maxLength })
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const length = Math.max(minLength, Math.min(maxLength, 12))
  // Starts and ends with a letter, because the service trims most texts.
  const usual = fc
    .string({ unit: characters, minLength: length - 2, maxLength: length - 2 })
    .chain(text => letters.map(letter => [letter, ...text, letter].slice(0, length).join('')))
    .filter(text => text.trim() === text)
  // At the limit.
  return maxLength > 3000
    ? usual
    : fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: fc.constant('a'.repeat(maxLength)) })
}

/** Replaces the values of a part of a schema. `name` is that of the member. */
type Alter = (value: Arbitrary<unknown>, schema: Schema, name?: string) => Arbitrary<unknown>

/** Values that the schema accepts, unless `alter` replaces parts of them. */
export function validValue(
  schema: Schema,
  known: KnownMembers = {},
  alter: Alter = value => value,
  name?: string,
): Arbitrary<unknown> {
  return alter(unalteredValue(schema, known, alter), schema, name)
}

function unalteredValue(schema: Schema, known: KnownMembers, alter: Alter): Arbitrary<unknown> {
  const { type, minimum = 0, maximum = minimum + 100, properties = {}, required = [], items = {} } = schema
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) return fc.oneof(...variants.map(variant => validValue(variant, known, alter)))
  if (Array.isArray(type))
    return fc.oneof(...type.map(one => validValue({ ...schema, type: one }, known, alter)))
  if (schema.contentSchema)
    return validValue(schema.contentSchema, known, alter).map(value => JSON.stringify(value))
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
    case 'array': {
      const { minItems = 0, maxItems = 3 } = schema
      return fc.array(validValue(items, known, alter), {
        minLength: minItems,
        maxLength: Math.min(maxItems, 3),
      })
    }
    case 'object': {
      if (Object.keys(properties).length === 0) return fc.constant(known['{}'] ?? {})
      const entries = Object.entries(properties)
        .filter(([name]) => !(name in known && known[name] === undefined))
        .map(([name, property]) => [
          name,
          name in known ? fc.constant(known[name]) : validValue(property, known, alter, name),
        ])
      const members: Record<string, Arbitrary<unknown>> = Object.fromEntries(entries)
      const requiredKeys = [...new Set([...required, ...Object.keys(known)])].filter(name => name in members)
      return fc.record(members, { requiredKeys })
    }
    default:
      return stringOf(schema)
  }
}

const otherTypes = [null, true, 12.5, -1, '', 'no value of an enum', [], {}]

/**
 * Values that differ in one place: another type, beyond a limit, a missing member or an unknown one. The schema accepts
 * some of them.
 */
export function changedValue(schema: Schema, value: unknown): Arbitrary<unknown> {
  const { minimum = 0, maximum = 0, maxLength = 5000, maxItems, items = {} } = schema
  const changes: unknown[] = [...otherTypes, minimum - 1, maximum + 1]
  if (maxLength < 5000) changes.push('a'.repeat(maxLength + 1))
  const list: unknown[] = Array.isArray(value) ? value : []
  if (list.length > 0 && maxItems !== undefined)
    changes.push(Array.from({ length: maxItems + 1 }, () => list[0]))
  // An empty URL counts as none.
  const here = often(fc.constantFrom(...changes.filter(changed => changed !== '' || !isUri(schema))))
  const variants = [schema, ...(schema.oneOf ?? schema.anyOf ?? [])]
  const properties: Readonly<Record<string, Schema>> = Object.assign(
    {},
    ...variants.map(one => one.properties),
  )
  const inList = list.map((item, index) =>
    changedValue(items, item).map(changed => list.with(index, changed)),
  )
  if (typeof value !== 'object' || value === null || list.length > 0)
    return fc.oneof(here, ...inList.map(often))
  const inObject = Object.entries(value).flatMap(([name, member]) => {
    const { [name]: _, ...missing } = value as Record<string, unknown>
    const changed = changedValue(properties[name] ?? {}, member).map(changed => ({
      ...value,
      [name]: changed,
    }))
    return [often(changed), fc.constant(missing)]
  })
  return fc.oneof(here, fc.constant({ ...value, unexpected: 1 }), ...inObject)
}

/** Ten times as often as a member that is missing or unknown, because it has about ten times as many values. */
function often(arbitrary: Arbitrary<unknown>) {
  return { weight: 10, arbitrary }
}

function isUri({ format, anyOf = [] }: Schema): boolean {
  return format === 'uri' || anyOf.some(isUri)
}

export const form = 'application/x-www-form-urlencoded'

/** Writes a value as a body of a media type. */
export function encode(type: string, value: unknown): string {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const texts = members.map(([name, member]): [string, string] => [
    name,
    typeof member === 'string' ? member : JSON.stringify(member),
  ])
  if (type === form) return String(new URLSearchParams(texts))
  if (!type.startsWith('multipart')) return JSON.stringify(value)
  const parts = texts.map(
    ([name, text]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  )
  return `${parts.join('')}--x--\r\n`
}
