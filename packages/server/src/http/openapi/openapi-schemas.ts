import { listSchemaNames } from '@gatehouse/protocol/schema-names'
import type { Schema } from '@gatehouse/protocol/wire'
import { type Json, toJsonSchema } from '../json-schema.ts'

export type { Json }

/** The schema of an image. */
export const binary = { type: 'string', format: 'binary' }

export type SchemaWriter = ReturnType<typeof createSchemaWriter>

/**
 * Writes schemas as JSON for the document. Named schemas are collected in `components` and referred to. `asyncApi`: a
 * reference needs `allOf` for a description, and there is no `discriminator` with a mapping. `extensions`: whether an
 * object that extends another one refers to it, which then must accept more members.
 */
export function createSchemaWriter({ asyncApi = false, extensions = false } = {}) {
  const names = listSchemaNames()
  const components = new Map<string, Json>()

  /** A reference if the schema has a name. */
  function write(schema: object): Json {
    const name = names.get(schema)
    if (name === undefined) return writeInline(schema as Schema)
    if (!components.has(name)) {
      // Before its members, because it may contain itself.
      components.set(name, {})
      components.set(name, writeInline(schema as Schema))
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function writeInline(schema: Schema): Json {
    const { discriminator: by, $ref, ...written } = toJsonSchema(schema, { write, extensions })
    if ($ref !== undefined) {
      const isDescribed = Object.keys(written).length > 0
      return asyncApi && isDescribed ? { allOf: [{ $ref }], ...written } : { $ref, ...written }
    }
    return by === undefined || asyncApi ? written : { ...written, discriminator: by }
  }

  return { write, components }
}
