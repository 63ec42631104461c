/** The languages of the service's own texts: the web client, the server's pages, its mails. */
export const locales = ['en', 'ru'] as const
export type Locale = (typeof locales)[number]

/** For users whose preferences contain none of `locales`. */
export const defaultLocale: Locale = 'en'

/** The name of each language in that language. */
export const localeNames: Readonly<Record<Locale, string>> = { en: 'English', ru: 'Русский' }

export function isLocale(value: unknown): value is Locale {
  return locales.some(locale => locale === value)
}

/** The supported language of a language tag (RFC 5646): `ru` of `ru-RU`. */
export function localeOfTag(tag: string): Locale | undefined {
  const [language] = tag.toLowerCase().split('-')
  return isLocale(language) ? language : undefined
}

/** The first supported language of a list of language tags, most preferred first. */
export function firstLocale(tags: readonly string[]): Locale | undefined {
  for (const tag of tags) {
    const locale = localeOfTag(tag)
    if (locale) return locale
  }
  return undefined
}

/** A text of a dictionary, or one for each plural form that the language has (CLDR). */
export type Phrase = string | Plural
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** The same keys in another language, with plural forms for the same keys. A missing key is a type error. */
export type DictionaryOf<Texts> = { [Key in keyof Texts]: Texts[Key] extends string ? string : Plural }

export type Params = Readonly<Record<string, string | number>>

/**
 * Reads the texts of one language by their keys. `{name}` in a text is replaced by the parameter of that name, numbers
 * are formatted for the language, and `count` chooses the plural form.
 */
export function createTranslate<Key extends string>(
  dictionary: Readonly<Record<Key, Phrase>>,
  language: string,
): (key: Key, params?: Params) => string {
  // Created when they are needed: that takes several milliseconds.
  let plurals: Intl.PluralRules | undefined
  let numbers: Intl.NumberFormat | undefined
  const selectPlural = (count: number) => {
    plurals ??= new Intl.PluralRules(language)
    return plurals.select(count)
  }
  const formatNumber = (value: number) => {
    numbers ??= new Intl.NumberFormat(language)
    return numbers.format(value)
  }
  return (key, params = {}) => {
    const phrase = dictionary[key]
    const text =
      typeof phrase === 'string' ? phrase : (phrase[selectPlural(Number(params.count ?? 0))] ?? phrase.other)
    return text.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = params[name]
      if (value === undefined) return place
      return typeof value === 'number' ? formatNumber(value) : value
    })
  }
}
