import { rateLimitHeaderNames } from '../cors.ts'
import { mediaTypesOf } from '../media.ts'
import type { Route } from '../route.ts'
import { binary, type Json, type SchemaWriter } from './openapi-schemas.ts'

/** Shorter responses are not shared: a reference would be as long. */
const shortestShared = 100

interface Success {
  status: string
  response: Json
}

export type SuccessResponses = ReturnType<typeof createSuccessResponses>

/**
 * Writes the successful responses. Those that several operations have are collected in `components`.
 * `complete`: each operation has its own response.
 */
export function createSuccessResponses(routes: readonly Route[], schemas: SchemaWriter, complete: boolean) {
  const byRoute = new Map(routes.map(route => [route, listSuccesses(route, schemas)]))
  const components = new Map<string, Json>()
  const references = new Map<string, Json>()
  const all = complete ? [] : [...byRoute.values()].flat()
  const groups = Map.groupBy(all, ({ response }) => JSON.stringify(response))
  for (const [key, group] of groups) {
    const [first] = group
    if (!first) continue
    const name = nameSuccess(first)
    if (group.length === 1 || key.length < shortestShared || name === undefined || components.has(name))
      continue
    components.set(name, first.response)
    references.set(key, { $ref: `#/components/responses/${name}` })
  }

  return {
    components,
    /** By status. */
    of(route: Route): Map<string, Json> {
      const successes = byRoute.get(route) ?? []
      return new Map(
        successes.map(({ status, response }) => [
          status,
          references.get(JSON.stringify(response)) ?? response,
        ]),
      )
    },
  }
}

function listSuccesses(route: Route, schemas: SchemaWriter): Success[] {
  return Object.entries(route.responses).map(([status, schema]) => ({
    status,
    response: writeResponse(route, Number(status), schema, schemas),
  }))
}

function writeResponse(route: Route, status: number, schema: object | null, schemas: SchemaWriter): Json {
  const names = headersOf(route, status)
  const shown = Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
  return {
    // The schema has a description of its own.
    description: descriptions[status] ?? 'Success.',
    ...(names.length > 0 ? { headers: shown } : {}),
    ...(schema === null ? {} : { content: writeContent(schema, schemas) }),
  }
}

const descriptions: Readonly<Record<number, string>> = {
  202: 'Accepted.',
  204: 'No content.',
  303: 'The browser follows the redirect.',
  304: 'Not modified.',
}

function headersOf(route: Route, status: number): string[] {
  return [
    ...(status === 303 ? ['Location'] : []),
    ...(route.responseHeaders ?? []).flatMap(name =>
      name === 'X-RateLimit' ? rateLimitHeaderNames : [name],
    ),
  ]
}

function writeContent(schema: object, schemas: SchemaWriter): Json {
  return Object.fromEntries(
    mediaTypesOf(schema).map(type => {
      if (/^image\//.test(type)) return [type, { schema: binary }]
      return [type, { schema: type === 'application/json' ? schemas.write(schema) : { type: 'string' } }]
    }),
  )
}

/**
 * `ok_Message`, `ok_MessageList`, `ok_SelfUser-cookie`: generators for Go declare the types of all components in one
 * package.
 */
function nameSuccess({ status, response }: Success): string | undefined {
  const { content = {}, headers = {} } = response as {
    content?: Record<string, { schema: Json }>
    headers?: Json
  }
  const schema = content['application/json']?.schema
  const name = schema && nameSchema(schema)
  const base = schema === undefined ? statusNames[status] : name && `ok_${name}`
  const suffix = 'Set-Cookie' in headers ? '-cookie' : 'X-RateLimit-Limit' in headers ? '-rate_limit' : ''
  return base && base + suffix
}

const statusNames: Readonly<Record<string, string>> = { 204: 'no_content', 303: 'redirect' }

function nameSchema({ $ref, items }: Json): string | undefined {
  if (typeof $ref === 'string') return $ref.split('/').at(-1)
  const item = typeof items === 'object' && items !== null ? nameSchema(items as Json) : undefined
  return item && `${item}List`
}
