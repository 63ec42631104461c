import type { Locale } from '@gatehouse/protocol/locales'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { createDates, type Dates } from './dates.ts'
import { type Dictionary, en } from './en.ts'
import { createTranslate, type Translate } from './translate.ts'

export interface I18n {
  language: Locale
  t: Translate
  dates: Dates
}

/**
 * The texts of each language. English is part of the main chunk; each other language has its own chunk
 * (vite.config.ts).
 */
const dictionaries: Readonly<Record<Locale, () => Promise<Dictionary>>> = {
  en: async () => en,
  ru: async () => (await import('./ru.ts')).ru,
}

/** Loads the locale texts. */
export async function loadI18n(language: Locale): Promise<I18n> {
  const dictionary = await dictionaries[language]()
  // The region of the browser decides the date format: en-GB differs from en-US.
  const region = navigator.languages.find(name => name.toLowerCase().startsWith(language)) ?? language
  document.documentElement.lang = language
  // React Aria reads its locale here, and again on this event.
  Reflect.set(window, Symbol.for('react-aria.i18n.locale'), region)
  window.dispatchEvent(new Event('languagechange'))
  return { language, t: createTranslate(dictionary, language), dates: createDates(region) }
}

interface LocalI18n extends I18n {
  /** Changes the language of this page. `GET /language` stores the choice. */
  setLanguage(language: Locale): Promise<void>
}

const Context = createContext<LocalI18n>({
  language: 'en',
  t: createTranslate(en, 'en'),
  dates: createDates('en'),
  setLanguage: async () => {},
})

export function I18nProvider({ initial, children }: { initial: I18n; children: ReactNode }) {
  const [i18n, setI18n] = useState(initial)
  const setLanguage = useCallback(async (language: Locale) => setI18n(await loadI18n(language)), [])
  const value = useMemo(() => ({ ...i18n, setLanguage }), [i18n, setLanguage])
  return <Context value={value}>{children}</Context>
}

export function useI18n(): LocalI18n {
  return useContext(Context)
}

export function useT(): Translate {
  return useContext(Context).t
}
