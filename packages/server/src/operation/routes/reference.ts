import type { TSchema } from 'typebox'
import { statusesOf } from '../../http/errors.ts'
import { possibleErrors } from '../../http/openapi/errors.ts'
import type { Route } from '../../http/route.ts'

/** An endpoint for the page `/docs` and the generated documents. */
export interface Entry {
  tag: string
  method: string
  path: string
  summary: string
  /** `session`, `bot`, `bearer with identify`, …; empty if the endpoint needs no authentication. */
  callers: string[]
  query: Field[]
  body: Field[]
  statuses: string[]
}

export interface Field {
  name: string
  type: string
  required: boolean
  description: string
}

export function listEntries(routes: readonly Route[]): Entry[] {
  return routes.map(route => ({
    tag: route.tag,
    method: route.method,
    path: route.path,
    summary: route.summary,
    callers: [
      ...(route.caller.session ? ['session'] : []),
      ...(route.caller.bot ? ['bot'] : []),
      ...(route.caller.bearer ? [`bearer with ${route.caller.bearer.join(' or ')}`] : []),
    ],
    query: listFields(route.query),
    body: listFields(route.content?.['application/json'] ?? route.body),
    statuses: [
      ...Object.keys(route.responses),
      ...(route.errorFormat ? [] : statusesOf(possibleErrors(route)).map(String)),
    ],
  }))
}

function listFields(schema: TSchema | undefined): Field[] {
  if (!schema) return []
  const properties = toObject(Reflect.get(schema, 'properties'))
  const required = Reflect.get(schema, 'required')
  return Object.entries(properties).map(([name, value]) => ({
    name,
    type: typeName(toObject(value)),
    required: Array.isArray(required) && required.includes(name),
    description: String(toObject(value).description ?? ''),
  }))
}

function typeName(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(value => JSON.stringify(value)).join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(part => typeName(toObject(part))).join(' or ')
  if (schema.type === 'array') return `list of ${typeName(toObject(schema.items))}`
  return typeof schema.type === 'string' ? schema.type : 'any'
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
