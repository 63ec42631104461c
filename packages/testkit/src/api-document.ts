import assert from 'node:assert/strict'
import { Ajv, type ValidateFunction } from 'ajv'
import { openApiDocument } from '../../server/src/http/openapi/openapi-document.ts'
import type { Route } from '../../server/src/http/route.ts'

/** The parts of an OpenAPI document that decide whether it has a response. */
export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>
  components: { responses: Record<string, ApiResponse>; schemas: Record<string, object> }
}

export interface ApiOperation {
  operationId: string
  responses: Record<string, ApiResponse>
}

interface ApiResponse {
  $ref?: string
  content?: Record<string, { schema: object }>
}

interface Reply {
  status: number
  headers: Headers
  text: string
  /** The parsed body, or undefined if it is not JSON. */
  body: unknown
}

export interface ApiCheck {
  /** The operation that a request is for; undefined if the document has none. */
  findOperation(method: string, path: string): ApiOperation | undefined
  /** Throws if the document does not have the status, the media type or the body of a response. */
  checkResponse(operation: ApiOperation, reply: Reply): void
  /** What the schema of the document does not accept in a value, or undefined. */
  findDifference(schema: object, value: unknown): string | undefined
}

export function createApiCheck(document: ApiDocument): ApiCheck {
  const ajv = new Ajv({
    strict: false,
    logger: false,
    // A test of the document validates its schemas. Compiling the meta-schema takes a quarter of a second.
    meta: false,
    validateSchema: false,
    formats: {
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
      uri: URL.canParse,
    },
  })
  // By name, so that each is compiled once.
  for (const [name, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(withShortReferences(schema), name)
  const validators = new Map<object, ValidateFunction>()
  const templates = listTemplates(document)

  function validatorOf(schema: object): ValidateFunction {
    const validate = validators.get(schema) ?? ajv.compile(withShortReferences(schema))
    validators.set(schema, validate)
    return validate
  }

  const check: ApiCheck = {
    findOperation(method, path) {
      const segments = path.split('/')
      const match = templates.find(template => template.method === method && template.matches(segments))
      return match?.operation
    },
    checkResponse({ operationId, responses }, { status, headers, text, body }) {
      const fail = (difference: string) => assert.fail(`${operationId}, ${status}: ${difference}: ${text}`)
      const declared = responses[status] ?? responses[`${String(status)[0]}XX`]
      const name = declared?.$ref?.split('/').at(-1)
      const response = name === undefined ? declared : document.components.responses[name]
      if (!response) return fail(`the API document has only the statuses ${Object.keys(responses).join()}`)
      if (!response.content) return text === '' ? undefined : fail('the API document has no body')
      const [type = ''] = headers.get('content-type')?.split(';', 1) ?? []
      const media = response.content[type]
      if (!media) return fail(`the API document does not have the media type "${type}"`)
      if (type.startsWith('image/')) return undefined
      const value = type === 'application/json' ? body : text
      if (value === undefined) return fail('the body is not JSON')
      const difference = check.findDifference(media.schema, value)
      return difference === undefined
        ? undefined
        : fail(`the body differs from the API document:${difference}`)
    },
    findDifference(schema, value) {
      const validate = validatorOf(schema)
      return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: '' })
    },
  }
  return check
}

/** References to schemas by their names. */
function withShortReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"'))
}

interface Template {
  method: string
  path: string
  operation: ApiOperation
  matches(segments: readonly string[]): boolean
}

function listTemplates(document: ApiDocument): Template[] {
  const templates = Object.entries(document.paths).flatMap(([path, { parameters: _, ...operations }]) => {
    const parts = path.split('/').map(part => (part.startsWith('{') ? undefined : part))
    const matches = (segments: readonly string[]) =>
      segments.length === parts.length &&
      parts.every((part, index) => (part === undefined ? segments[index] !== '' : part === segments[index]))
    return Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      matches,
    }))
  })
  // Fixed segments before parameters, as in the router: `{` comes after letters and `@`.
  return templates.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** The checks of this process, by the operations of the service. */
const checks = new Map<string, ApiCheck>()

/** The check for the document of a service. Services with the same operations share it. */
export function apiCheckOf(routes: readonly Route[]): ApiCheck {
  const key = routes.map(route => route.operationId).join()
  const check = checks.get(key) ?? createApiCheck(readDocument(routes))
  checks.set(key, check)
  return check
}

function readDocument(routes: readonly Route[]): ApiDocument {
  // Complete, so that it has the errors of each operation. The generator writes an OpenAPI document.
  return openApiDocument(routes, 'https://chat.example.org', { complete: true }) as unknown as ApiDocument
}
