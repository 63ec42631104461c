import type { Json } from './openapi-schemas.ts'

/** Values of strings by the names of their members, where the schema allows any text. */
const texts: Readonly<Record<string, string>> = {
  content: 'Hello!',
  username: 'ana',
  displayName: 'Ana',
  avatar: '/images/users/104857600000000001/default',
  email: 'ana@example.org',
  name: 'general',
  title: 'Build 7 failed',
  token: 'gbt_example',
  resumeUrl: 'wss://chat.example.org/api/gateway/ws',
}

/** Creates examples from schemas of a document. `components` are its named schemas. */
export function createExamples(components: Readonly<Record<string, Json>>): (schema: Json) => unknown {
  function exampleOf(schema: Json, name = ''): unknown {
    const { $ref, type, enum: values, format, pattern } = schema
    if (typeof $ref === 'string') return exampleOf(components[$ref.split('/').at(-1) ?? ''] ?? {}, name)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.examples)) return schema.examples[0]
    if (Array.isArray(values)) return values[0]
    const [choice] = listOf(schema.oneOf ?? schema.anyOf ?? schema.allOf)
    if (choice) return exampleOf(choice, name)
    const [single] = [type].flat()
    if (single === 'object') return exampleObject(schema)
    if (single === 'array') return listOf([schema.items]).map(items => exampleOf(items))
    if (single === 'integer' || single === 'number') return schema.minimum ?? 1
    if (single === 'boolean') return false
    if (format === 'date-time') return '2026-01-31T12:00:00.000Z'
    if (format === 'uri') return 'https://example.org/'
    if (typeof pattern === 'string') return /\{16,19\}\$$/.test(pattern) ? '104857600000000001' : '0'
    return texts[name] ?? 'text'
  }

  function exampleObject({ properties = {} }: Json): Json {
    const members = Object.entries(properties as Readonly<Record<string, Json>>)
    return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member, name)]))
  }

  return schema => exampleOf(schema)
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'object' && item !== null) : []
}
