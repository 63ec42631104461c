import type { Application } from '@gatehouse/protocol/applications'
import { maxApplicationDescription, maxApplicationName } from '@gatehouse/protocol/limits'
import { useNavigate } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../../ui/image-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEditForm } from '../../ui/use-submit.ts'
import { useSaveApplication } from './save-application.ts'

/** The name, description and icon of an application, and its deletion. */
export function General({ application }: { application: Application }) {
  return (
    <>
      <NameAndDescription application={application} />
      <ApplicationIcon application={application} />
      <DeleteApplication application={application} />
    </>
  )
}

function NameAndDescription({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const { name, description } = application
  const form = useEditForm(
    { name, description },
    { name: { min: 1, max: maxApplicationName }, description: { max: maxApplicationDescription } },
  )
  return (
    <SettingsForm form={form} onSave={() => save(form.changes)}>
      <Field label={t('settings.name')} {...form.field('name')} required />
      <Field label={t('console.description')} {...form.field('description')} />
    </SettingsForm>
  )
}

function ApplicationIcon({ application }: { application: Application }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  async function uploadIcon(file: File) {
    const saved = await api.call('setApplicationIcon', { id: application.id, body: file })
    queries.setQueryData(keys.application(application.id), saved)
    await queries.invalidateQueries({ queryKey: keys.applications, exact: true })
  }
  return (
    <ImageField
      title={t('console.icon')}
      src={application.icon}
      name={application.name}
      onChoose={uploadIcon}
    />
  )
}

function DeleteApplication({ application }: { application: Application }) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const { forget } = useUnsaved()
  const confirmDelete = () =>
    confirm({
      title: t('console.delete'),
      text: t('console.deleteConfirm', { name: application.name }),
      run: async () => {
        await api.call('deleteApplication', { id: application.id })
        forget()
        await navigate('/developers')
        await queries.invalidateQueries({ queryKey: keys.applications, exact: true })
      },
    })
  return (
    <Panel>
      <div className="line">
        <button type="button" className="button danger" onClick={confirmDelete}>
          {t('console.delete')}
        </button>
      </div>
    </Panel>
  )
}
