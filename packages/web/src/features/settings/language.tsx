import { isLocale, localeNames, locales } from '@gatehouse/protocol/locales'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

/** The language of the client and of the pages of the service, for this browser. */
export function Language() {
  const { t, language, setLanguage } = useSettingsI18n()
  const { api } = useClient()
  const { problem, submit } = useSubmit()
  function choose(value: string) {
    if (!isLocale(value)) return
    void submit(async () => {
      await api.call('setLanguage', { query: { locale: value } })
      await setLanguage(value)
    })
  }
  return (
    <Panel hint={t('settings.languageHint')}>
      <SelectField
        label={t('settings.language')}
        value={language}
        options={locales.map(value => ({ value, text: localeNames[value] }))}
        onChange={choose}
      />
      <ErrorText text={problem} />
    </Panel>
  )
}
