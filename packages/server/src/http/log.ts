import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/**
 * Patterns of secrets anywhere in a log line: prefixed tokens (community/secrets), webhook and interaction tokens in
 * paths, credentials in headers and URLs, values of parameters and JSON members whose names end as those of secrets do.
 */
const secrets: readonly [RegExp, string][] = [
  // Of a bot token in Discord's form, the other parts too (bots/discord-token).
  [/\b[A-Za-z0-9+/=]{16,44}\.[A-Za-z0-9_-]{6}\.(gbt_)[0-9A-Za-z]{20,}/g, '$1[redacted]'],
  [/\b(g[a-z]{2}_)[0-9A-Za-z]{20,}/g, '$1[redacted]'],
  [/(\/webhooks\/\d+\/)[^/"\s?\\]+/g, '$1[redacted]'],
  [/(\/interactions\/\d+\/)[^/"\s?\\]+/g, '$1[redacted]'],
  [/(code|token|secret|assertion|verifier|password)=[^&"\s\\]+/gi, '$1=[redacted]'],
  // In a URL that is a parameter of another.
  [/(code|token|secret|assertion|verifier|password)%3D(?:(?!%26)[^&"\s\\])+/gi, '$1%3D[redacted]'],
  // In JSON, which may be in a string. A `code` alone is that of an error.
  [/((?:\wcode|token|secret|assertion|verifier|password)\\?":\s?\\?")[^"\\]+/gi, '$1[redacted]'],
  [/\b(Basic|Bearer|Bot) [A-Za-z0-9._~+/=-]{8,}/g, '$1 [redacted]'],
  [/:\/\/[^/@\s"\\]*:[^/@\s"\\]*@/g, '://[redacted]@'],
]

export function redact(line: string): string {
  return secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
}

/** Creates a logger that writes JSON lines. Secrets are redacted by path and by pattern before they are written. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['req.headers', 'headers.authorization', 'headers.cookie', '*.password', '*.token', '*.secret'],
      censor: '[redacted]',
    },
    hooks: { streamWrite: redact },
  }
  return destination ? pino(options, destination) : pino(options)
}
