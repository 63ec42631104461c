import type { Application, ApplicationType, CreatedApplication } from '@gatehouse/protocol/applications'
import { maxApplicationName } from '@gatehouse/protocol/limits'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Panel, SaveBar, useSubmit } from '../settings/settings-page.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'

export function Applications() {
  const t = useT()
  const { api } = useClient()
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedApplication>()
  const { data: list, error } = useQuery({
    queryKey: keys.applications,
    queryFn: ({ signal }) => api.get<Application[]>('/api/applications', signal),
  })
  const button = (
    <button type="button" className="button" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {t('console.create')}
    </button>
  )
  return (
    <>
      {created && <Created application={created} />}
      {creating ? (
        <CreateApplication
          onCancel={() => setCreating(false)}
          onCreated={application => {
            setCreated(application)
            setCreating(false)
          }}
        />
      ) : (
        <Panel hint={t('console.hint')}>
          {list && list.length > 0 && <div className="line">{button}</div>}
          {error && (
            <p className="problem" role="alert">
              {problemText(error, t)}
            </p>
          )}
          {list?.length === 0 && (
            <div className="empty">
              <Icon name="code" />
              <h2>{t('console.empty')}</h2>
              <p>{t('console.emptyHint')}</p>
              <div className="line">{button}</div>
            </div>
          )}
          <ul className="rows">
            {list?.map(application => (
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
      )}
    </>
  )
}

/** What a new application is called by, and its secret, which is never shown again. */
function Created({ application }: { application: CreatedApplication }) {
  const t = useT()
  return (
    <div className="secret-once" role="status">
      <strong>{application.name}</strong>
      <CopyField label={t('console.clientId')} value={application.id} />
      {application.clientSecret && (
        <CopyField
          label={t('console.clientSecret')}
          value={application.clientSecret}
          hint={t('console.secretOnce')}
        />
      )}
    </div>
  )
}

interface CreateApplicationProps {
  onCancel(): void
  onCreated(application: CreatedApplication): void
}

function CreateApplication({ onCancel, onCreated }: CreateApplicationProps) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [type, setType] = useState<ApplicationType>('confidential')
  const { busy, saved, problem, at, submit } = useSubmit(cause => problemText(cause, t), {
    name: { min: 1, max: maxApplicationName },
  })
  function create(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      const application = await api.send<CreatedApplication>('POST', '/api/applications', { name, type })
      await queries.invalidateQueries({ queryKey: keys.applications })
      onCreated(application)
    })
  }
  const kinds = [
    { type: 'confidential', title: t('console.confidential'), hint: t('console.confidentialHint') },
    { type: 'public', title: t('console.public'), hint: t('console.publicHint') },
  ] as const
  return (
    <form className="stack" onSubmit={create}>
      <Field
        label={t('console.name')}
        value={name}
        onChange={setName}
        required
        maxLength={maxApplicationName}
        autoComplete="off"
        problem={at.name}
      />
      <fieldset className="choices fieldset">
        <legend className="hint">{t('console.type')}</legend>
        {kinds.map(kind => (
          <label key={kind.type} className="choice">
            <input
              type="radio"
              name="type"
              checked={type === kind.type}
              onChange={() => setType(kind.type)}
            />
            <span>
              <strong>{kind.title}</strong>
              <br />
              <span className="hint">{kind.hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="line">
        <SaveBar
          dirty={name.trim() !== ''}
          busy={busy}
          saved={saved}
          problem={problem}
          label={t('action.create')}
        />
        <button type="button" className="button plain" onClick={onCancel}>
          {t('action.cancel')}
        </button>
      </div>
    </form>
  )
}
