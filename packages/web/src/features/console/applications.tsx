import type { ApplicationType, CreatedApplication } from '@gatehouse/protocol/applications'
import { maxApplicationName } from '@gatehouse/protocol/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useSubmit } from '../../ui/use-submit.ts'

/** The applications of the user, and the form that creates one. */
export function Applications({ onCreated }: Pick<CreateApplicationProps, 'onCreated'>) {
  const t = useSettingsT()
  const { api } = useClient()
  const [creating, setCreating] = useState(false)
  const { data: applications, error } = useQuery({
    queryKey: keys.applications,
    queryFn: ({ signal }) => api.call('listApplications', { signal }),
  })
  const createButton = (
    <button type="button" className="button" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {t('console.create')}
    </button>
  )
  if (creating) return <CreateApplication onCancel={() => setCreating(false)} onCreated={onCreated} />
  return (
    <Panel hint={t('console.hint')}>
      {applications && applications.length > 0 && <div className="line">{createButton}</div>}
      <ErrorText error={error} />
      {applications?.length === 0 && (
        <EmptyState icon="code" title={t('console.empty')} text={t('console.emptyHint')}>
          {createButton}
        </EmptyState>
      )}
      <ul className="rows">
        {applications?.map(application => (
          <li key={application.id}>
            <Link className="row-card" to={`/developers/${application.id}`}>
              <Avatar src={application.icon} name={application.name} size={44} />
              <span className="grow">
                <strong>{application.name}</strong>
                <br />
                <span className="hint">{application.description || application.id}</span>
              </span>
              {application.bot && <span className="badge">{t('chat.bot')}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface CreateApplicationProps {
  onCancel(): void
  onCreated(application: CreatedApplication): void
}

function CreateApplication({ onCancel, onCreated }: CreateApplicationProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { forget } = useUnsaved()
  const [name, setName] = useState('')
  const [type, setType] = useState<ApplicationType>('confidential')
  const form = useSubmit({
    name: { min: 1, max: maxApplicationName },
  })
  async function create() {
    const application = await api.call('createApplication', { body: { name, type } })
    await queries.invalidateQueries({ queryKey: keys.applications })
    forget()
    onCreated(application)
  }
  const clientTypes = [
    { type: 'confidential', title: t('console.confidential'), hint: t('console.confidentialHint') },
    { type: 'public', title: t('console.public'), hint: t('console.publicHint') },
  ] as const
  return (
    <SettingsForm
      form={form}
      dirty={name.trim() !== ''}
      label={t('action.create')}
      onSave={create}
      onCancel={onCancel}
    >
      <Field
        label={t('settings.name')}
        value={name}
        onChange={setName}
        required
        autoFocus
        maxLength={maxApplicationName}
        problem={form.fieldProblems.name}
      />
      <fieldset className="choices fieldset">
        <legend className="hint">{t('console.type')}</legend>
        {clientTypes.map(clientType => (
          <label key={clientType.type} className="choice">
            <input
              type="radio"
              name="type"
              checked={type === clientType.type}
              onChange={() => setType(clientType.type)}
            />
            <span>
              <strong>{clientType.title}</strong>
              <br />
              <span className="hint">{clientType.hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </SettingsForm>
  )
}
