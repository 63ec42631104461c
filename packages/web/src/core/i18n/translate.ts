import {
  createTranslate as create,
  defaultLocale,
  firstLocale,
  type Locale,
  type Params,
} from '@gatehouse/protocol/locales'
import type { Dictionary, Key } from './en.ts'

export type { Params } from '@gatehouse/protocol/locales'

export type Translate = (key: Key, params?: Params) => string

/** `{count}` selects the plural form by the rules of the language. */
export function createTranslate(dictionary: Dictionary, language: string): Translate {
  return create<Key>(dictionary, language)
}

/** The first language of the list that the client supports. */
export function chooseLanguage(preferred: readonly string[]): Locale {
  return firstLocale(preferred) ?? defaultLocale
}
