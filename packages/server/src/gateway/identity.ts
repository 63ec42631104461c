/** Where a socket comes from, as its request says. */
export interface Visitor {
  /** The value of the session cookie, where there was one. */
  cookie: string | undefined
  origin: string | undefined
  ip: string
  userAgent: string
}

/** Who holds a session: a person by the session of their browser, or an application's bot. */
export interface Identity {
  kind: 'person' | 'bot'
  userId: string
  /** By which its end is made known (`subjects.control`): the browser session's id, or the application's. */
  credential: string
  /** Of a person, in milliseconds: unless the browser session is used again until then (D76). */
  expiresAt?: number
}

export interface Credentials {
  /** The origin of BASE_URL. */
  origin: string
  authenticateSession(
    secret: string,
    seen: { ip: string; userAgent: string },
  ): Promise<{ userId: string; sessionId: string; expiresAt: number } | undefined>
  identifyBot(token: string): Promise<{ userId: string; applicationId: string } | undefined>
}

/** Undefined where nothing holds. With a token it is that which counts, never the cookie beside it. */
export async function recognise(
  credentials: Credentials,
  visitor: Visitor,
  token: unknown,
): Promise<Identity | undefined> {
  if (token !== undefined) {
    const bot = typeof token === 'string' ? await credentials.identifyBot(token) : undefined
    return bot && { kind: 'bot', userId: bot.userId, credential: bot.applicationId }
  }
  // Browsers send the cookie from the pages of every site (RFC 6455 §10.2): the contract, Gateway 1.
  if (visitor.cookie === undefined || visitor.origin !== credentials.origin) return undefined
  const person = await credentials.authenticateSession(visitor.cookie, visitor)
  if (person === undefined) return undefined
  const { userId, sessionId: credential, expiresAt } = person
  return { kind: 'person', userId, credential, expiresAt }
}
