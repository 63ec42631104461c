import { isDeepStrictEqual } from 'node:util'
import { isOptional, keyValues, type Schema } from '@gatehouse/protocol/wire'
import { getDescription } from 'valibot'

export type Json = Readonly<Record<string, unknown>>

/** The members of Valibot's schemas and actions that are read here. */
interface Node {
  kind: 'schema' | 'validation' | 'transformation' | 'metadata'
  type: string
  pipe?: readonly Node[]
  entries?: Readonly<Record<string, Node>>
  /** The object that this one extends. */
  base?: Node
  item?: Node
  items?: readonly Node[]
  wrapped?: Node
  /** Of a record. */
  value?: Node
  options?: readonly unknown[]
  literal?: unknown
  key?: string
  description?: string
  metadata?: Json
}

interface Options {
  /** Writes a part: a reference, if it has a name. By default, all parts are inline. */
  write?: (part: object) => Json
  /**
   * For the serializer: the variants of an object become one object with the members of all, because it is faster
   * without unions.
   */
  merged?: boolean
  /** Whether an object that extends another one refers to it, which then must accept more members. */
  extensions?: boolean
}

/**
 * The JSON Schema (2020-12) of a definition. Unlike `@valibot/to-json-schema`, it keeps the reference of a described
 * part, writes a value or null as two types, which the serializer processes faster than `anyOf`, and converts only what
 * is asked for.
 */
export function toJsonSchema(
  definition: Schema,
  { write, merged = false, extensions = false }: Options = {},
): Json {
  const writePart = write ?? (part => toJsonSchema(part as Schema, { merged }))

  function convert(node: Node): Json {
    const [first, ...actions] = node.pipe ?? []
    if (!first) return convertType(node)
    return Object.assign({}, writePart(first), ...actions.map(convertAction))
  }

  /** What an action adds. Rules and transformations add nothing. */
  function convertAction({ type, description, metadata = {} }: Node): Json {
    if (type === 'description') return { description }
    if (type !== 'metadata') return {}
    const { contentSchema, ...keywords } = metadata as { contentSchema?: object }
    return contentSchema ? { ...keywords, contentSchema: writePart(contentSchema) } : keywords
  }

  function convertType(node: Node): Json {
    const { type, entries = {}, base, item, wrapped, options = [], literal } = node
    switch (type) {
      case 'string':
      case 'number':
      case 'boolean':
        return { type }
      case 'literal':
        return { type: Number.isInteger(literal) ? 'integer' : typeof literal, enum: [literal] }
      case 'picklist':
        return { type: typeof options[0] === 'number' ? 'integer' : 'string', enum: options }
      case 'object':
        return base && extensions ? convertExtended(entries, base) : convertObject(entries)
      case 'array':
        return { type, items: item ? writePart(item) : {} }
      case 'exact_optional':
        return writePart(wrapped ?? {})
      case 'nullable':
      case 'nullish':
        return convertOrNull(wrapped)
      case 'variant':
        return convertVariant(node.key ?? '', options as readonly Node[])
      case 'union':
        return { anyOf: options.map(option => writePart(option as object)) }
      case 'record':
        return { type: 'object', additionalProperties: writePart(node.value ?? {}) }
      case 'null':
        return { type }
      case 'any':
      case 'custom':
      case 'unknown':
        return {}
      default:
        throw new TypeError(`a schema of the type ${type} cannot be converted`)
    }
  }

  function convertOrNull(wrapped: Node | undefined): Json {
    const json = orNull(writePart(wrapped ?? {}))
    const description = wrapped && descriptionOf(wrapped as unknown as Schema)
    return 'anyOf' in json && description !== undefined ? { ...json, description } : json
  }

  function convertObject(entries: Readonly<Record<string, Node>>): Json {
    const members = Object.entries(entries)
    const required = members
      .filter(([, member]) => !isOptional(member as unknown as Schema))
      .map(([name]) => name)
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(members.map(convertMember)),
    }
  }

  function convertMember([name, member]: [string, Node]): [string, Json] {
    // Generators declare a member with a default as required. Descriptions contain it.
    const { default: _, ...json } = writePart(member)
    return [name, json]
  }

  /** A reference to `base`, and what the object has besides. */
  function convertExtended(entries: Readonly<Record<string, Node>>, base: Node): Json {
    const added = Object.entries(entries).filter(([name]) => !(name in (base.entries ?? {})))
    return { allOf: [writePart(base), { required: [], ...convertObject(Object.fromEntries(added)) }] }
  }

  /** `discriminator` maps the values of the member `key` to the named variants, which must be objects (OpenAPI 3.1). */
  function convertVariant(key: string, options: readonly Node[]): Json {
    const variants = options.map(writePart)
    if (merged) return variants.reduce(mergeObjects)
    if (options.some(isVariant)) return { oneOf: variants }
    const mapping = options.flatMap((option, index) =>
      keyValues(option, key).map(value => [value, variants[index]?.$ref] as const),
    )
    return { oneOf: variants, discriminator: { propertyName: key, mapping: Object.fromEntries(mapping) } }
  }

  return convert(definition as unknown as Node)
}

/** The last description of a definition. */
export function descriptionOf(definition: Schema): string | undefined {
  return getDescription(definition as never)
}

function isVariant({ pipe, type }: Node): boolean {
  return (pipe?.[0]?.type ?? type) === 'variant'
}

function orNull(json: Json): Json {
  const { type, enum: values } = json
  if (type === undefined) return { anyOf: [json, { type: 'null' }] }
  return { ...json, type: [type, 'null'].flat(), ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/** An object with the members of both. A member of both that differs accepts what either accepts. */
function mergeObjects(one: Json, other: Json): Json {
  const properties: Record<string, Json> = { ...(one.properties as Record<string, Json>) }
  for (const [name, member] of Object.entries(other.properties as Record<string, Json>)) {
    const own = properties[name]
    properties[name] = own === undefined ? member : mergeMembers(own, member)
  }
  return { type: 'object', properties }
}

function mergeMembers(one: Json, other: Json): Json {
  if (isDeepStrictEqual(one, other)) return one
  if (one.type === 'object' && other.type === 'object') return mergeObjects(one, other)
  if (one.type === 'array' && other.type === 'array') {
    return { type: 'array', items: mergeMembers(one.items as Json, other.items as Json) }
  }
  return { type: [...new Set([one.type, other.type].flat())] }
}
