import { browserName as knownName } from '@gatehouse/protocol/browser-name'

/** The browser and the operating system of a user agent, or its first 60 characters if both are unknown. */
export function browserName(userAgent: string | null): string | undefined {
  return userAgent ? (knownName(userAgent) ?? userAgent.slice(0, 60)) : undefined
}
