import { examples } from '@gatehouse/protocol/examples'
import { scopeTexts } from '@gatehouse/protocol/scopes'
import { version } from '@gatehouse/protocol/version'
import { acceptsNoBody, bodyMediaTypes } from '../body-parsers.ts'
import type { AcceptedCallers } from '../caller.ts'
import { cookieName } from '../cookies.ts'
import type { Route } from '../route.ts'
import { tags } from '../tags.ts'
import { createErrorResponses, type ErrorResponses, hasBody } from './openapi-errors.ts'
import { createParameterWriter, type ParameterWriter } from './openapi-parameters.ts'
import { createSuccessResponses, type SuccessResponses } from './openapi-responses.ts'
import { binary, createSchemaWriter, type Json, type SchemaWriter } from './openapi-schemas.ts'

/**
 * The OpenAPI 3.1 document of the routes with an `operationId`. `baseUrl` is the URL of the service. `complete`: each
 * operation has a response for each status, which makes the document a third larger. For the tests.
 */
export function openApiDocument(routes: readonly Route[], baseUrl: string, { complete = false } = {}): Json {
  const documented = routes.filter(route => route.operationId !== undefined)
  const schemas = createSchemaWriter({ extensions: !complete })
  const writers = {
    schemas,
    errors: createErrorResponses(schemas, complete),
    successes: createSuccessResponses(documented, schemas, complete),
    parameters: createParameterWriter(schemas),
    complete,
  }
  const byPath = Map.groupBy(documented, route => route.path.replace(/:(\w+)/g, '{$1}'))
  const paths = [...byPath].map(([path, members]): [string, Json] => [path, writePath(members, writers)])
  const inRequests = listRequestSchemas(
    paths.map(([, operations]) => operations),
    schemas.components,
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version,
      description: 'Sign-in, bots and incoming webhooks for a chat community.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(documented.map(route => route.tag))].map(name => ({ name, description: tags[name] })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: securitySchemes(baseUrl),
      headers,
      parameters: Object.fromEntries([...writers.parameters.components].toSorted(byName)),
      ...(complete ? {} : { requestBodies: { image_file: imageBody } }),
      responses: Object.fromEntries(
        [...writers.successes.components, ...writers.errors.listComponents()].toSorted(byName),
      ),
      schemas: Object.fromEntries(
        [...schemas.components]
          .toSorted(byName)
          .map(([name, schema]) => [
            name,
            withExample(name, complete || inRequests.has(name) ? schema : open(schema)),
          ]),
      ),
    },
  }
}

function withExample(name: string, schema: Json): Json {
  return name in examples ? { ...schema, examples: [examples[name]] } : schema
}

/** The names of the schemas that requests contain. */
function listRequestSchemas(paths: readonly Json[], schemas: ReadonlyMap<string, Json>): ReadonlySet<string> {
  const found = new Set<string>()
  function add(part: unknown): void {
    for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      add(schemas.get(name))
    }
  }
  for (const operations of paths)
    for (const { requestBody } of Object.values(operations) as Json[]) add(requestBody)
  return found
}

/** Without `additionalProperties: false`: a later version of the service may add members to a response. */
function open<Part>(part: Part): Part
function open(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(item => open(item))
  if (typeof part !== 'object' || part === null) return part
  const members = Object.entries(part).filter(
    ([name, value]) => name !== 'additionalProperties' || value !== false,
  )
  return Object.fromEntries(members.map(([name, value]) => [name, open(value)]))
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

interface Writers {
  schemas: SchemaWriter
  errors: ErrorResponses
  successes: SuccessResponses
  parameters: ParameterWriter
  /** Whether nothing is shared between operations. */
  complete: boolean
}

/** Each operation that accepts an image has this body. */
const imageBody = {
  required: true,
  content: Object.fromEntries(bodyMediaTypes.image.map(type => [type, { schema: binary }])),
}

/** The operations of a path, and the parameters in the path, which they share. */
function writePath(routes: readonly Route[], writers: Writers): Json {
  const [first] = routes
  const list = first ? writers.parameters.listPath(first) : []
  return {
    ...(list.length > 0 ? { parameters: list } : {}),
    ...Object.fromEntries(routes.map(route => [route.method.toLowerCase(), writeOperation(route, writers)])),
  }
}

function writeOperation(route: Route, { schemas, errors, successes, parameters, complete }: Writers): Json {
  const list = parameters.list(route)
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    security: writeSecurity(route),
    ...(list.length > 0 ? { parameters: list } : {}),
    ...(hasBody(route) ? { requestBody: writeRequestBody(route, schemas, complete) } : {}),
    responses: Object.fromEntries([...successes.of(route), ...errors.of(route)]),
  }
}

function writeRequestBody(route: Route, schemas: SchemaWriter, complete: boolean): Json {
  const { body, content } = route
  if (route.bodyTypes.includes('image'))
    return complete ? imageBody : { $ref: '#/components/requestBodies/image_file' }
  const types = route.bodyTypes.flatMap(kind => bodyMediaTypes[kind])
  const bodies = content ?? Object.fromEntries(types.map(type => [type, body ?? {}]))
  return {
    ...(acceptsNoBody(route) ? {} : { required: true }),
    content: Object.fromEntries(
      Object.entries(bodies).map(([type, schema]) => [type, { schema: schemas.write(schema) }]),
    ),
  }
}

function header(description: string, type = 'string'): Json {
  return { description, schema: { type } }
}

const headers = {
  Location: header('The URL that the browser opens next.'),
  'Retry-After': header('The number of seconds to wait before the request is repeated.', 'integer'),
  'Set-Cookie': header('Sets or removes the session cookie.'),
  'WWW-Authenticate': header('The accepted kinds of credentials (RFC 9110 §11.6.1).'),
  'X-RateLimit-Limit': header('The number of requests that the bucket allows.', 'integer'),
  'X-RateLimit-Remaining': header('The number of requests that remain in the bucket.', 'integer'),
  'X-RateLimit-Reset': header('When the bucket is full again, in seconds since 1970.', 'number'),
  'X-RateLimit-Reset-After': header('The number of seconds until the bucket is full again.', 'number'),
  'X-RateLimit-Bucket': header('The id of the bucket.'),
}

function securitySchemes(baseUrl: string): Json {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName(baseUrl, 'session'),
      description: 'The session of a signed-in user.',
    },
    bot: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The token of a bot: `Bot <token>`.',
    },
    oauth: {
      type: 'oauth2',
      description: 'An access token of a user.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${baseUrl}/oauth2/authorize`,
          tokenUrl: `${baseUrl}/api/oauth2/token`,
          refreshUrl: `${baseUrl}/api/oauth2/token`,
          scopes: scopeTexts,
        },
      },
    },
    openid: {
      type: 'openIdConnect',
      openIdConnectUrl: `${baseUrl}/.well-known/openid-configuration`,
      description: 'The same token, with the metadata of OpenID Connect Discovery.',
    },
    client: {
      type: 'http',
      scheme: 'basic',
      description: 'The id and secret of an OAuth client (RFC 6749 §2.3.1).',
    },
    metrics: { type: 'http', scheme: 'bearer', description: '`METRICS_TOKEN`.' },
  }
}

/** Alternatives. `{}` is a request without credentials. */
function writeSecurity({ caller, documentedAuthentication }: Route): Json[] {
  switch (documentedAuthentication) {
    case 'client':
      return [{ client: [] }, {}]
    case 'bearer':
      return withToken(['identify'])
    case 'metrics':
      return [{ metrics: [] }, {}]
    default:
      return fromCaller(caller)
  }
}

function fromCaller({ session, bot, bearer, anonymous }: AcceptedCallers): Json[] {
  const alternatives = [
    ...(session ? [{ session: [] }] : []),
    ...(bot ? [{ bot: [] }] : []),
    ...withToken(bearer ?? []),
  ]
  return anonymous && alternatives.length > 0 ? [...alternatives, {}] : alternatives
}

/** A token with any of the scopes. */
function withToken(scopes: readonly string[]): Json[] {
  return scopes.flatMap(scope => [{ oauth: [scope] }, { openid: [scope] }])
}
