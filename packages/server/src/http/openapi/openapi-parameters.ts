import { auditReasonHeader } from '@gatehouse/protocol/audit-log'
import { PageQuery } from '@gatehouse/protocol/lists'
import { isOptional, type Schema } from '@gatehouse/protocol/wire'
import type { Route } from '../route.ts'
import type { Json, SchemaWriter } from './openapi-schemas.ts'

export type ParameterWriter = ReturnType<typeof createParameterWriter>

/** Writes the parameters of operations. Those that many operations have are collected in `components`. */
export function createParameterWriter(schemas: SchemaWriter) {
  const components = new Map<string, Json>()

  function write(place: string, name: string, required: boolean, schema: object): Json {
    const { description, ...written } = schemas.write(schema)
    return {
      name,
      in: place,
      ...(required ? { required } : {}),
      ...(description === undefined ? {} : { description }),
      schema: written,
    }
  }

  function writePathParameter(path: string, name: string, schema: object): Json {
    const resource = resourceOf(path, name)
    const parameter = write('path', name, true, schema)
    const described = {
      description: `The id of the ${singular(name === 'id' ? resource : name.replace(/Id$/, ''))}.`,
      ...parameter,
    }
    return share(`${singular(resource)}_${name}`, described)
  }

  function share(key: string, parameter: Json): Json {
    const shared = components.get(key) ?? parameter
    if (JSON.stringify(shared) !== JSON.stringify(parameter)) return parameter
    components.set(key, parameter)
    return { $ref: `#/components/parameters/${key}` }
  }

  return {
    components,
    /** The parameters in the path. */
    listPath({ path, params }: Route): Json[] {
      const inPath = membersOf(params)
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      return names.map(name => writePathParameter(path, name, inPath[name] ?? { type: 'string' }))
    },
    /** The parameters in the query and the headers. */
    list({ query, requestHeaders }: Route): Json[] {
      return [...listMembers('query', query), ...listMembers('header', requestHeaders)]
    },
  }

  function listMembers(place: string, schema: Schema | undefined): Json[] {
    return Object.entries(membersOf(schema)).map(([name, member]) => {
      const parameter = write(place, name, !isOptional(member), member)
      return name in PageQuery.entries || name === auditReasonHeader ? share(name, parameter) : parameter
    })
  }
}

/** The segment that the parameter belongs to: `channels` for `messageId` of `/api/channels/:id/:messageId`. */
function resourceOf(path: string, name: string): string {
  const segments = path.split('/')
  const before = segments.slice(0, segments.indexOf(`:${name}`))
  return before.findLast(segment => !segment.startsWith(':') && segment !== '@me') ?? ''
}

function singular(noun: string): string {
  return noun.replace(/s$/, '')
}

function membersOf(schema: Schema | undefined): Readonly<Record<string, Schema>> {
  return (schema as { entries?: Record<string, Schema> } | undefined)?.entries ?? {}
}
