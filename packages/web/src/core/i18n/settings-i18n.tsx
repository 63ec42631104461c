import { createTranslate as create, type Locale, type Params } from '@gatehouse/protocol/locales'
import { type ComponentType, createContext, use, useContext, useMemo } from 'react'
import type { Key } from './en.ts'
import { useI18n } from './i18n.tsx'
import { type SettingsDictionary, type SettingsKey, settingsEn } from './settings-en.ts'

/** Also reads the texts that only settings, the console and the administration have. */
export type SettingsTranslate = (key: Key | SettingsKey, params?: Params) => string

const loadTexts: Readonly<Record<Locale, () => Promise<SettingsDictionary>>> = {
  en: async () => settingsEn,
  ru: async () => (await import('./settings-ru.ts')).settingsRu,
}

const Context = createContext<SettingsTranslate | undefined>(undefined)

/** A page that renders when the texts of settings are loaded. */
export function withSettingsTexts<Props extends object>(Page: ComponentType<Props>): ComponentType<Props> {
  const loaded = new Map<Locale, Promise<SettingsDictionary>>()
  const load = (language: Locale) => {
    const texts = loaded.get(language) ?? loadTexts[language]()
    loaded.set(language, texts)
    return texts
  }
  return props => {
    const { language, t } = useI18n()
    const texts = use(load(language))
    const translate = useMemo(() => {
      const settings = create(texts, language)
      const isSettingsKey = (key: Key | SettingsKey): key is SettingsKey => key in texts
      return (key: Key | SettingsKey, params?: Params) =>
        isSettingsKey(key) ? settings(key, params) : t(key, params)
    }, [texts, language, t])
    return (
      <Context value={translate}>
        <Page {...props} />
      </Context>
    )
  }
}

export function useSettingsT(): SettingsTranslate {
  const t = useContext(Context)
  if (!t) throw new Error('The page is not in withSettingsTexts.')
  return t
}

export type SettingsI18n = Omit<ReturnType<typeof useI18n>, 't'> & { t: SettingsTranslate }

export function useSettingsI18n(): SettingsI18n {
  return { ...useI18n(), t: useSettingsT() }
}
