import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/** Headers of every answer. A page of the sign-in sets a Content-Security-Policy of its own (pages.ts). */
export async function addSecurityHeaders(app: FastifyInstance, baseUrl: string): Promise<void> {
  const secure = baseUrl.startsWith('https:')
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        // Pictures of strangers' embeds: loaded by the reader's browser without a referrer, never by us (D38).
        imgSrc: ["'self'", 'data:', 'blob:', 'https:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", baseUrl.replace(/^http/, 'ws')],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    hsts: secure ? { maxAge: 31_536_000 } : false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginEmbedderPolicy: false,
    // A site may open the sign-in in a window of its own and wait for it: the link to that site must hold.
    crossOriginOpenerPolicy: false,
  })
}
