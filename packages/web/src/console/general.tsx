import type { Application, ClientSecret } from '@gatehouse/protocol/applications'
import { maxApplicationDescription, maxApplicationName, maxRedirectUris } from '@gatehouse/protocol/limits'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError, faultText, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { PictureField } from '../settings/picture-field.tsx'
import { Panel, SaveBar, useSubmit } from '../settings/settings-page.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'

/** Name, identification, redirect URIs and the end of an application. */
export function General({ application }: { application: Application }) {
  return (
    <>
      <Words application={application} />
      <Picture application={application} />
      <Identification application={application} />
      <Redirects application={application} />
      <Deletion application={application} />
    </>
  )
}

/** Saves changes of an application and keeps what is shown of it. */
export function useSaveApplication(application: Application) {
  const { api } = useClient()
  const queries = useQueryClient()
  return async (changes: object) => {
    const saved = await api.send<Application>('PATCH', `/api/applications/${application.id}`, changes)
    queries.setQueryData(keys.application(application.id), saved)
    await queries.invalidateQueries({ queryKey: keys.applications, exact: true })
  }
}

function Words({ application }: { application: Application }) {
  const t = useT()
  const save = useSaveApplication(application)
  const [name, setName] = useState(application.name)
  const [description, setDescription] = useState(application.description)
  const { busy, saved, problem, submit } = useSubmit(cause => problemText(cause, t))
  const dirty = name !== application.name || description !== application.description
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        void submit(() => save({ name, description }))
      }}
    >
      <Field
        label={t('console.name')}
        value={name}
        onChange={setName}
        required
        maxLength={maxApplicationName}
        autoComplete="off"
      />
      <Field
        label={t('console.description')}
        value={description}
        onChange={setDescription}
        maxLength={maxApplicationDescription}
        autoComplete="off"
      />
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={problem} />
    </form>
  )
}

function Picture({ application }: { application: Application }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  async function put(file: File) {
    const saved = await api.upload<Application>(`/api/applications/${application.id}/icon`, file)
    queries.setQueryData(keys.application(application.id), saved)
    await queries.invalidateQueries({ queryKey: keys.applications, exact: true })
  }
  return (
    <PictureField title={t('console.icon')} src={application.icon} name={application.name} onChoose={put} />
  )
}

function Identification({ application }: { application: Application }) {
  const t = useT()
  const { api } = useClient()
  const confirm = useConfirm()
  const [secret, setSecret] = useState<string>()
  const ask = () =>
    confirm({
      title: t('console.resetSecret'),
      text: t('console.resetSecretConfirm'),
      action: t('console.resetSecret'),
      run: async () => {
        const answer = await api.send<ClientSecret>('POST', `/api/applications/${application.id}/secret`)
        setSecret(answer.clientSecret)
      },
    })
  return (
    <Panel>
      <CopyField label={t('console.clientId')} value={application.id} />
      {application.type === 'confidential' && (
        <>
          {secret ? (
            <div className="secret-once" role="status">
              <CopyField label={t('console.clientSecret')} value={secret} hint={t('console.secretOnce')} />
            </div>
          ) : (
            <p className="hint">{t('console.secretHidden')}</p>
          )}
          <div className="line">
            <button type="button" className="button soft" onClick={ask}>
              {t('console.resetSecret')}
            </button>
          </div>
        </>
      )}
    </Panel>
  )
}

interface Uri {
  key: number
  text: string
}

function Redirects({ application }: { application: Application }) {
  const t = useT()
  const save = useSaveApplication(application)
  const [uris, setUris] = useState<Uri[]>(() => application.redirectUris.map((text, key) => ({ key, text })))
  const [loopback, setLoopback] = useState(application.allowLoopbackPort)
  const { busy, saved, error, problem, submit } = useSubmit(cause => problemText(cause, t))
  const given = uris.map(({ text }) => text).filter(text => text !== '')
  const dirty =
    given.join('\n') !== application.redirectUris.join('\n') || loopback !== application.allowLoopbackPort
  const faults = error instanceof ApiError ? error.faults : []
  const faultAt = (index: number) => {
    const fault = faults.find(({ path }) => path === `redirectUris[${index}]`)
    return fault && faultText(fault, t)
  }
  const located = given.some((_, index) => faultAt(index) !== undefined)

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    setUris(uris.filter(({ text }) => text !== ''))
    const changes = {
      redirectUris: given,
      ...(application.type === 'public' ? { allowLoopbackPort: loopback } : {}),
    }
    void submit(() => save(changes))
  }

  return (
    <Panel title={t('console.redirects')} hint={t('console.redirectsHint', { max: maxRedirectUris })}>
      <form className="stack" onSubmit={onSubmit}>
        {uris.map((uri, index) => (
          <div key={uri.key} className="line copy-line">
            <div className="grow">
              <Field
                label={t('console.redirect', { number: index + 1 })}
                value={uri.text}
                onChange={text => setUris(uris.with(index, { ...uri, text }))}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://example.com/callback"
                problem={faultAt(index)}
              />
            </div>
            <button
              type="button"
              className="icon-button"
              aria-label={`${t('action.remove')}: ${t('console.redirect', { number: index + 1 })}`}
              onClick={() => setUris(uris.toSpliced(index, 1))}
            >
              <Icon name="trash" />
            </button>
          </div>
        ))}
        {uris.length < maxRedirectUris && (
          <div className="line">
            <button
              type="button"
              className="button soft small"
              onClick={() =>
                setUris([...uris, { key: Math.max(-1, ...uris.map(({ key }) => key)) + 1, text: '' }])
              }
            >
              <Icon name="plus" />
              {t('console.addRedirect')}
            </button>
          </div>
        )}
        {application.type === 'public' && (
          <label className="check">
            <input type="checkbox" checked={loopback} onChange={event => setLoopback(event.target.checked)} />
            {t('console.loopback')}
          </label>
        )}
        <SaveBar dirty={dirty} busy={busy} saved={saved} problem={located ? undefined : problem} />
      </form>
    </Panel>
  )
}

function Deletion({ application }: { application: Application }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: t('console.delete'),
      text: t('console.deleteConfirm', { name: application.name }),
      action: t('console.delete'),
      run: async () => {
        await api.send('DELETE', `/api/applications/${application.id}`)
        await navigate('/developers')
        await queries.invalidateQueries({ queryKey: keys.applications, exact: true })
      },
    })
  return (
    <Panel>
      <div className="line">
        <button type="button" className="button bad" onClick={ask}>
          {t('console.delete')}
        </button>
      </div>
    </Panel>
  )
}
