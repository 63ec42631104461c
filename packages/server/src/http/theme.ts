import type { IncomingMessage } from 'node:http'
import { preferenceCookieName } from '@gatehouse/protocol/preference-cookies'
import { colorSchemeOf, isTheme, type Theme, themeColorMedia } from '@gatehouse/protocol/themes'
import { readCookie } from './cookies.ts'

/** The theme that the user chose for this browser in the web client. */
export function themeOf(request: Pick<IncomingMessage, 'headers'>, baseUrl: string): Theme {
  const chosen = readCookie(request, preferenceCookieName('theme', baseUrl.startsWith('https:')))
  return isTheme(chosen) ? chosen : 'system'
}

/** The HTML of the web client in the theme, so that the first paint has it. */
export function withTheme(html: string, theme: Theme): string {
  const media = (scheme: 'light' | 'dark') => [
    `media="${themeColorMedia('system', scheme)}"`,
    `media="${themeColorMedia(theme, scheme)}"`,
  ]
  const replacements = [
    [`content="${colorSchemeOf('system')}"`, `content="${colorSchemeOf(theme)}"`],
    media('light'),
    media('dark'),
  ]
  return replacements.reduce((text, [before = '', after = '']) => text.replace(before, after), html)
}
