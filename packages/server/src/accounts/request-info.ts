import type { IncomingMessage } from 'node:http'
import type { Locale } from '@gatehouse/protocol/locales'

/** The client of a request: shown in the list of sessions and in the security log. */
export interface RequestInfo {
  ip: string
  userAgent: string
  /** The language of the mails that the request causes. */
  locale?: Locale
}

export function requestInfoOf({
  ip,
  headers,
  locale,
}: Pick<IncomingMessage, 'headers'> & { ip: string; locale: Locale }): RequestInfo {
  return { ip, userAgent: headers['user-agent'] ?? '', locale }
}

const maxUserAgent = 512

/** A database stores neither U+0000 nor a lone surrogate, and the column has a limit. */
export function cleanUserAgent(userAgent: string): string {
  return userAgent.slice(0, maxUserAgent).replaceAll('\u0000', '').toWellFormed()
}
