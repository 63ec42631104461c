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

/** A value with one change, and where it is. */
interface Change {
  at: string
  value: unknown
}

const otherTypes = [null, true, 12.5, -1, '', 'no value of an enum', [], {}]

/**
 * Values that differ in one place: another type, beyond a limit, a missing member or an unknown one. The schema accepts
 * some of them.
 */
export function changesOf(schema: Schema, value: unknown, at = ''): Change[] {
  const { minimum = 0, maximum = 0, maxLength, maxItems } = schema
  const beyond: unknown[] = [minimum - 1, maximum + 1]
  if (maxLength !== undefined && maxLength < 5000) beyond.push('a'.repeat(maxLength + 1))
  if (maxItems !== undefined && Array.isArray(value) && value.length > 0)
    beyond.push(Array.from({ length: maxItems + 1 }, () => value[0]))
  const here = [...otherTypes, ...beyond]
    // An empty URL counts as none.
    .filter(changed => changed !== '' || schemaFormat(schema) !== 'uri')
    .map(changed => ({ at, value: changed }))
  const inside = [schema, ...(schema.oneOf ?? schema.anyOf ?? [])].flatMap(one =>
    changesInside(one, value, at),
  )
  return [...here, ...inside]
}

function schemaFormat({ format, anyOf = [] }: Schema): string | undefined {
  return format ?? anyOf.map(schemaFormat).find(inner => inner !== undefined)
}

function changesInside({ properties, items }: Schema, value: unknown, at: string): Change[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      changesOf(items ?? {}, item, `${at}[${index}]`).map(change => ({
        ...change,
        value: value.with(index, change.value),
      })),
    )
  }
  if (typeof value !== 'object' || value === null || !properties) return []
  const entries = Object.entries(value)
  const changed = entries.flatMap(([name, member]) =>
    changesOf(properties[name] ?? {}, member, `${at}.${name}`).map(change => ({
      ...change,
      value: { ...value, [name]: change.value },
    })),
  )
  const missing = entries.map(([name]) => ({
    at: `${at}.${name} is missing`,
    value: Object.fromEntries(entries.filter(([other]) => other !== name)),
  }))
  return [...changed, ...missing, { at: `${at}.unexpected`, value: { ...value, unexpected: 1 } }]
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
