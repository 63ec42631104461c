import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type AppOptions, createApp, mount } from '../../server/src/http/app.ts'
import { createLogger } from '../../server/src/http/log.ts'
import type { Route } from '../../server/src/http/route.ts'
import { createRateLimiter } from '../../server/src/rate-limits/rate-limiter.ts'
import { createTestClock } from './clock.ts'

/** Creates an app with the given routes. It accepts the session `good` and the bearer token `good`. */
export function appWith(...routes: Route[]): Promise<{ app: FastifyInstance; log: string[] }> {
  return createTestApp(routes)
}

/** Like `appWith`, with other options. */
export async function createTestApp(
  routes: readonly Route[],
  overrides: Partial<AppOptions> = {},
): Promise<{ app: FastifyInstance; log: string[] }> {
  const log: string[] = []
  const options: AppOptions = {
    baseUrl: 'https://chat.example.org',
    trustProxy: [],
    rateLimiter: createRateLimiter({ clock: createTestClock().now, limits: 'off' }),
    logger: createLogger(
      'debug',
      new Writable({
        write(chunk, _encoding, done) {
          log.push(String(chunk))
          done()
        },
      }),
    ),
    authenticators: {
      session: async (secret: string) =>
        secret === 'good' ? ({ kind: 'session', userId: '1', sessionId: '2' } as const) : undefined,
      bearer: async (token: string) =>
        token === 'good'
          ? ({ kind: 'bearer', userId: '1', applicationId: '3', scopes: ['identify'] } as const)
          : undefined,
      bot: async () => undefined,
    },
    ...overrides,
  }
  const app = await createApp(options)
  mount(app, routes, options)
  return { app, log }
}
