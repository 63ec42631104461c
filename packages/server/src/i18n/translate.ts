import { createTranslate, type Locale, type Params } from '@gatehouse/protocol/locales'
import { en, type Key } from './en.ts'
import { ru } from './ru.ts'

export type Translate = (key: Key, params?: Params) => string

const translators: Readonly<Record<Locale, Translate>> = {
  en: createTranslate<Key>(en, 'en'),
  ru: createTranslate<Key>(ru, 'ru'),
}

export function translateTo(locale: Locale): Translate {
  return translators[locale]
}

const dateLanguages: Readonly<Record<Locale, string>> = { en: 'en-GB', ru: 'ru' }

/** A date in UTC, because the server does not know the user's time zone. `time` is in milliseconds. */
export function formatDay(locale: Locale, time: number): string {
  return new Date(time).toLocaleDateString(dateLanguages[locale], { dateStyle: 'long', timeZone: 'UTC' })
}

/** Date and time in UTC, like `formatDay`. */
export function formatTime(locale: Locale, time: number): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return `${new Date(time).toLocaleString(dateLanguages[locale], options)} UTC`
}
