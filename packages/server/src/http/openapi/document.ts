import { scopeTexts } from '@gatehouse/protocol/scopes'
import { version } from '@gatehouse/protocol/version'
import { acceptsNoBody, bodyMediaTypes } from '../body.ts'
import type { AcceptedCallers } from '../caller.ts'
import { cookieName } from '../cookies.ts'
import { mediaTypesOf } from '../media.ts'
import type { Route } from '../route.ts'
import { tags } from '../tags.ts'
import { createErrorResponses, type ErrorResponses, hasBody } from './errors.ts'
import recorded from './examples.json' with { type: 'json' }
import type { Example } from './examples.ts'
import { createParameterWriter, type ParameterWriter } from './parameters.ts'
import { createSchemaWriter, type Json, type SchemaWriter } from './schemas.ts'

/** The OpenAPI 3.1 document of the routes with an `operationId`. `baseUrl` is the URL of the service. */
export function openApiDocument(routes: readonly Route[], baseUrl: string): Json {
  const schemas = createSchemaWriter()
  const writers = {
    schemas,
    errors: createErrorResponses(schemas),
    parameters: createParameterWriter(schemas),
  }
  const documented = routes.filter(route => route.operationId !== undefined)
  const byPath = Map.groupBy(documented, route => route.path.replace(/:(\w+)/g, '{$1}'))
  const paths = [...byPath].map(([path, members]) => [
    path,
    Object.fromEntries(members.map(route => [route.method.toLowerCase(), writeOperation(route, writers)])),
  ])
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
      responses: Object.fromEntries([...writers.errors.components].toSorted(byName)),
      schemas: Object.fromEntries([...schemas.components].toSorted(byName)),
    },
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

const exampleTable: Readonly<Record<string, readonly Example[]>> = recorded

interface Writers {
  schemas: SchemaWriter
  errors: ErrorResponses
  parameters: ParameterWriter
}

function writeOperation(route: Route, { schemas, errors, parameters }: Writers): Json {
  const examples = exampleTable[route.operationId ?? ''] ?? []
  const list = parameters.list(route, examples[0])
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    security: writeSecurity(route),
    ...(list.length > 0 ? { parameters: list } : {}),
    ...(hasBody(route) ? { requestBody: writeRequestBody(route, schemas, examples) } : {}),
    responses: writeResponses(route, schemas, errors, examples),
  }
}

function writeRequestBody(route: Route, schemas: SchemaWriter, examples: readonly Example[]): Json {
  const { body, content } = route
  const types = route.bodyTypes.flatMap(kind => bodyMediaTypes[kind])
  const bodies = content ?? Object.fromEntries(types.map(type => [type, body ?? {}]))
  return {
    required: !acceptsNoBody(route),
    content: Object.fromEntries(
      Object.entries(bodies).map(([type, schema]) => [
        type,
        {
          schema: type.startsWith('image/') ? binary : schemas.write(schema),
          ...toExample(examples.find(example => example.type === type)?.body),
        },
      ]),
    ),
  }
}

const binary = { type: 'string', format: 'binary' }

function toExample(value: unknown): Json {
  return value === undefined ? {} : { example: value }
}

function writeResponses(
  route: Route,
  schemas: SchemaWriter,
  errors: ErrorResponses,
  examples: readonly Example[],
): Json {
  const failures = errors.of(route)
  const successes = Object.entries(route.responses)
    .filter(([status]) => !failures.has(status))
    .map(([status, schema]) => {
      const example = examples.find(({ status: own }) => own === Number(status))
      return [status, writeResponse(route, Number(status), schema, schemas, example?.response)]
    })
  return Object.fromEntries([...successes, ...failures])
}

function writeResponse(
  route: Route,
  status: number,
  schema: object | null,
  schemas: SchemaWriter,
  example: unknown,
): Json {
  const names = [
    ...(status === 303 ? ['Location'] : []),
    ...(route.responseHeaders ?? []).flatMap(name => (name === 'X-RateLimit' ? rateLimitNames : [name])),
  ]
  const shown = Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
  const description =
    descriptions[status] ?? (schema && 'description' in schema ? schema.description : 'Success.')
  return {
    description,
    ...(names.length > 0 ? { headers: shown } : {}),
    ...(schema === null ? {} : { content: writeContent(schema, schemas, example) }),
  }
}

const descriptions: Readonly<Record<number, string>> = {
  202: 'Accepted.',
  204: 'No content.',
  303: 'The browser follows the redirect.',
  304: 'Not modified.',
}

function writeContent(schema: object, schemas: SchemaWriter, example: unknown): Json {
  return Object.fromEntries(
    mediaTypesOf(schema).map(type => [
      type,
      {
        schema: /^image\//.test(type)
          ? binary
          : type === 'application/json'
            ? schemas.write(schema)
            : { type: 'string' },
        ...toExample(example),
      },
    ]),
  )
}

const rateLimitNames = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Reset-After',
  'X-RateLimit-Bucket',
]

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
function writeSecurity({ caller, authentication }: Route): Json[] {
  switch (authentication) {
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
