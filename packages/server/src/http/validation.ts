import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { parse } from '@gatehouse/protocol/parse'
import type { Schema } from '@gatehouse/protocol/wire'
import fastJson from 'fast-json-stringify'
import { invalidAll, notFound } from '../errors/app-error.ts'
import { toJsonSchema } from './json-schema.ts'

/** The most errors that a response lists (limits/invalid-body). */
const maxFieldErrors = 50

/** The normalized value, which Fastify passes on, or 400, or 404 for a path parameter. */
export type Validated = { value: unknown; error?: never } | { error: Error }

/** The validator compiler of Fastify. `schema` is a definition. */
export function compileValidator({
  schema,
  httpPart,
}: {
  schema: unknown
  httpPart?: string
}): (data: unknown) => Validated {
  const definition = schema as Schema
  let integers: readonly string[] | undefined
  return data => {
    if (httpPart === 'querystring') {
      integers ??= integersOf(definition)
      parseIntegers(integers, data as Record<string, unknown>)
    }
    const { value, violations } = parse(definition, data)
    if (violations.length === 0) return { value }
    // A malformed id in the path is the id of nothing.
    if (httpPart === 'params') return { error: notFound() }
    return { error: invalidAll(toFieldErrors(violations.slice(0, maxFieldErrors))) }
  }
}

/** The names of the members that are integers. */
function integersOf(definition: Schema): string[] {
  const { properties = {} } = toJsonSchema(definition) as { properties?: Record<string, { type?: unknown }> }
  return Object.keys(properties).filter(name => properties[name]?.type === 'integer')
}

/**
 * Replaces the integers of a query, which are strings, with numbers. Unlike `Number`, it accepts neither ` 1` nor `1e1`
 * nor `0x1`.
 */
function parseIntegers(names: readonly string[], query: Record<string, unknown>): void {
  for (const name of names) {
    const value = query[name]
    if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) query[name] = Number(value)
  }
}

const serializers = new WeakMap<Schema, (data: unknown) => string>()

/** The serializer compiler of Fastify. Compiles each definition on first use, once per process, for a fast start. */
export function compileSerializer({ schema }: { schema: unknown }): (data: unknown) => string {
  const definition = schema as Schema
  return data => {
    let serialize = serializers.get(definition)
    if (serialize === undefined) {
      serialize = fastJson(toJsonSchema(definition, { merged: true }))
      serializers.set(definition, serialize)
    }
    return serialize(data)
  }
}
