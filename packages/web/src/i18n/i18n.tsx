import { createContext, type ReactNode, useContext } from 'react'
import { createDates, type Dates } from './dates.ts'
import { en } from './en.ts'
import { createTranslate, type Translate } from './translate.ts'

export interface I18n {
  language: string
  t: Translate
  dates: Dates
}

/** The dictionary of the language; English is at hand, others come as a chunk of their own. */
export async function loadI18n(language: 'en' | 'ru', locale: string): Promise<I18n> {
  const dictionary = language === 'ru' ? (await import('./ru.ts')).ru : en
  return { language, t: createTranslate(dictionary, language), dates: createDates(locale) }
}

const Context = createContext<I18n>({
  language: 'en',
  t: createTranslate(en, 'en'),
  dates: createDates('en'),
})

export function I18nProvider({ value, children }: { value: I18n; children: ReactNode }) {
  return <Context value={value}>{children}</Context>
}

export function useI18n(): I18n {
  return useContext(Context)
}

export function useT(): Translate {
  return useContext(Context).t
}
