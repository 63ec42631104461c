import { colorSchemeOf, isTheme, type Theme, themeColorMedia, themes } from '@gatehouse/protocol/themes'
import { useState } from 'react'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { isSecure, readPreference, storePreference } from '../../core/preferences.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { Panel } from '../../ui/settings-page.tsx'

function readTheme(): Theme {
  const chosen = readPreference('theme', document.cookie, isSecure())
  return isTheme(chosen) ? chosen : 'system'
}

/** Later pages have the theme from the server (`withTheme`). */
function applyTheme(theme: Theme): void {
  document.querySelector('meta[name="color-scheme"]')?.setAttribute('content', colorSchemeOf(theme))
  for (const scheme of ['light', 'dark'] as const) {
    const meta = document.querySelector(`meta[name="theme-color"][data-scheme="${scheme}"]`)
    meta?.setAttribute('media', themeColorMedia(theme, scheme))
  }
}

/** The theme of the client and of the pages of the service, for this browser. */
export function Appearance() {
  const t = useSettingsT()
  const [theme, setTheme] = useState(readTheme)
  function choose(value: string) {
    if (!isTheme(value)) return
    storePreference('theme', value)
    applyTheme(value)
    setTheme(value)
  }
  return (
    <Panel hint={t('settings.themeHint')}>
      <SelectField
        label={t('settings.theme')}
        value={theme}
        options={themes.map(value => ({ value, text: t(`settings.theme.${value}`) }))}
        onChange={choose}
      />
    </Panel>
  )
}
