import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { cookieName } from './cookies.ts'
import { commonErrors, statusesOf } from './errors.ts'
import type { Route } from './route.ts'

const errorBody = {
  description: 'An error. Only `validation_failed` has `errors`.',
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
      },
    },
    retryAfter: { type: 'number' },
    requestId: { type: 'string' },
  },
} as const

/** The schemas of native error responses. A route with another error format declares its own. */
export function errorSchemas(route: Route): Record<string, unknown> {
  if (route.errorFormat) return {}
  const statuses = statusesOf([...commonErrors, ...route.errors])
  return Object.fromEntries(statuses.map(status => [String(status), errorBody]))
}

export function openapi(baseUrl: string): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version: '1',
      description: 'Sign-in, bots and incoming webhooks for a chat community.',
    },
    servers: [{ url: baseUrl }],
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName(baseUrl, 'session'),
        },
        bearer: { type: 'http', scheme: 'bearer' },
        bot: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Bot <token>`' },
      },
    },
  }
}
