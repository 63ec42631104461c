import { isDefinition } from '@gatehouse/protocol/bridge'
import { discriminator, documented, extended, nullable } from '@gatehouse/protocol/schema'
import { listSchemaNames } from '@gatehouse/protocol/schema-names'
import { original } from '@gatehouse/protocol/type'
import type { Schema } from '@gatehouse/protocol/wire'
import { type Json, toJsonSchema } from '../json-schema.ts'

export type { Json }

/** The schema of an image. */
export const binary = { type: 'string', format: 'binary' }

/** A schema with the symbols of `packages/protocol`. */
interface Marked {
  [original]?: object
  [documented]?: object
  [nullable]?: object
  [discriminator]?: string
  [extended]?: Extension
}

/** An object that another one extends. */
interface Extension {
  required?: readonly string[]
  properties: Json
}

interface Variant {
  properties?: Readonly<Record<string, { enum?: readonly unknown[] }>>
}

/** The schema that the document shows. */
export function shownSchema<Schema extends object>(schema: Schema): object {
  return (schema as Marked)[documented] ?? schema
}

export type SchemaWriter = ReturnType<typeof createSchemaWriter>

/**
 * Writes schemas as JSON for the document. Named schemas are collected in `components` and referred to. `asyncApi`: a reference
 * needs `allOf` for a description, and there is no `discriminator` with a mapping. `extensions`: whether an object that extends
 * another one refers to it, which then must accept more members.
 */
export function createSchemaWriter({ asyncApi = false, extensions = false } = {}) {
  const names = listSchemaNames()
  const components = new Map<string, Json>()

  /** The schema with a name that `schema` is or copies. */
  function findNamed(schema: object): object | undefined {
    if (names.has(schema)) return schema
    const source = (schema as Marked)[original]
    return source && findNamed(source)
  }

  /** A reference if the schema has a name, with the description of a copy. */
  function write(schema: object): Json {
    const named = findNamed(schema)
    if (named === undefined) return writeInline(schema)
    const name = names.get(named) ?? ''
    if (!components.has(name)) {
      // Before its members, because it may contain itself.
      components.set(name, {})
      components.set(name, writeInline(named))
    }
    const { description } = schema as { description?: string }
    const reference = { $ref: `#/components/schemas/${name}` }
    if (description === (named as { description?: string }).description) return reference
    return asyncApi ? { allOf: [reference], description } : { ...reference, description }
  }

  function writeInline(schema: object): Json {
    const marked = schema as Marked & { description?: string }
    const { description } = marked
    const shown = marked[documented]
    if (shown) return { ...write(shown), ...(description === undefined ? {} : { description }) }
    const base = extensions ? marked[extended] : undefined
    if (base) return { allOf: [write(base), writeAdded(schema as Extension, base)], description }
    const inner = marked[nullable]
    if (inner && (findNamed(inner) !== undefined || (inner as Marked)[documented])) {
      const choices = { anyOf: [write(findNamed(inner) ?? inner), { type: 'null' }] }
      return description === undefined ? choices : { ...choices, description }
    }
    if (isDefinition(schema)) return writeDefinition(schema)
    const written = Object.fromEntries(Object.entries(schema).flatMap(writeKeyword))
    const by = marked[discriminator]
    return by === undefined || asyncApi
      ? written
      : { ...written, discriminator: writeDiscriminator(by, schema) }
  }

  function writeDefinition(schema: Schema): Json {
    const { discriminator: by, $ref, ...written } = toJsonSchema(schema, { write, extensions })
    if ($ref !== undefined) {
      const isDescribed = Object.keys(written).length > 0
      return asyncApi && isDescribed ? { allOf: [{ $ref }], ...written } : { $ref, ...written }
    }
    return by === undefined || asyncApi ? written : { ...written, discriminator: by }
  }

  /** The members that `schema` has and `base` has not. */
  function writeAdded({ required = [], properties }: Extension, base: Extension): Json {
    const names = Object.keys(properties).filter(name => !(name in base.properties))
    return writeInline({
      type: 'object',
      required: required.filter(name => names.includes(name)),
      properties: Object.fromEntries(names.map(name => [name, properties[name]])),
    })
  }

  /** The variants by the values of the member `by`. */
  function writeDiscriminator(by: string, schema: { oneOf?: readonly Variant[] }): Json {
    const mapping = (schema.oneOf ?? []).flatMap(variant =>
      (variant.properties?.[by]?.enum ?? []).map(value => [value, write(variant).$ref]),
    )
    return { propertyName: by, mapping: Object.fromEntries(mapping) }
  }

  function writeKeyword([keyword, value]: [string, unknown]): [string, unknown][] {
    switch (keyword) {
      case 'properties':
        return [[keyword, Object.fromEntries(Object.entries(value as Json).map(writeMember))]]
      case 'items':
      case 'contentSchema':
      case 'not':
        return [[keyword, write(value as object)]]
      case 'additionalProperties':
        return [[keyword, typeof value === 'object' && value !== null ? write(value) : value]]
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return [[keyword, (value as object[]).map(write)]]
      case 'check':
        return []
      case 'text':
        // How the service trims and cleans the string before it counts the length.
        return [['x-text', value === true ? 'trim' : value]]
      default:
        return [[keyword, value]]
    }
  }

  function writeMember([name, schema]: [string, unknown]): [string, Json] {
    // Generators declare a member with a default as required. Descriptions contain it.
    const { default: _, ...written } = write(schema as object)
    return [name, written]
  }

  return { write, components }
}
