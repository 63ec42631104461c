import type { Application } from '@gatehouse/protocol/applications'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CheckField } from '../../ui/check-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useEditForm } from '../../ui/use-submit.ts'
import { useSaveApplication } from './save-application.ts'

/** Whether a used refresh token is accepted for some seconds (sign-in/refresh-grace). */
export function RefreshGrace({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const form = useEditForm({ refreshGrace: application.refreshGrace })
  return (
    <Panel title={t('console.refresh')}>
      <SettingsForm form={form} onSave={() => save(form.changes)}>
        <CheckField
          label={t('console.refreshGrace')}
          hint={t('console.refreshGraceHint')}
          checked={form.fields.refreshGrace}
          onChange={refreshGrace => form.edit({ refreshGrace })}
        />
      </SettingsForm>
    </Panel>
  )
}
