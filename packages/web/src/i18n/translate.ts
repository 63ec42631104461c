import type { Dictionary, Key } from './en.ts'

export type Params = Readonly<Record<string, string | number>>
export type Translate = (key: Key, params?: Params) => string

/** The words of one language; `{count}` chooses the plural form by the language's own rules. */
export function createTranslate(dictionary: Dictionary, language: string): Translate {
  const plurals = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (key, params = {}) => {
    const phrase = dictionary[key]
    const text =
      typeof phrase === 'string'
        ? phrase
        : (phrase[plurals.select(Number(params.count ?? 0))] ?? phrase.other)
    return text.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = params[name]
      if (value === undefined) return place
      return typeof value === 'number' ? numbers.format(value) : value
    })
  }
}

/** The first of the browser's languages that the client speaks. */
export function chooseLanguage(preferred: readonly string[]): 'en' | 'ru' {
  for (const language of preferred) {
    const [base] = language.toLowerCase().split('-')
    if (base === 'en' || base === 'ru') return base
  }
  return 'en'
}
