import type { TSchema } from 'typebox'
import { commonErrors, statusesOf } from '../../http/errors.ts'
import type { Route } from '../../http/route.ts'

/** One endpoint in words, for the page and for the generated documents. */
export interface Entry {
  tag: string
  method: string
  path: string
  summary: string
  /** `session`, `bot`, `bearer with identify`, … ; empty where nobody is asked. */
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

export function tableOf(routes: readonly Route[]): Entry[] {
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
    query: fieldsOf(route.query),
    body: fieldsOf(route.body),
    statuses: [
      ...Object.keys(route.answers),
      ...(route.dialect ? [] : statusesOf([...commonErrors, ...route.errors]).map(String)),
    ],
  }))
}

function fieldsOf(schema: TSchema | undefined): Field[] {
  if (!schema) return []
  const properties = objectOf(Reflect.get(schema, 'properties'))
  const required = Reflect.get(schema, 'required')
  return Object.entries(properties).map(([name, value]) => ({
    name,
    type: typeName(objectOf(value)),
    required: Array.isArray(required) && required.includes(name),
    description: String(objectOf(value).description ?? ''),
  }))
}

function typeName(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(value => JSON.stringify(value)).join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(part => typeName(objectOf(part))).join(' or ')
  if (schema.type === 'array') return `list of ${typeName(objectOf(schema.items))}`
  return typeof schema.type === 'string' ? schema.type : 'any'
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
