import type { Application } from '@gatehouse/protocol/applications'
import { maxApplicationDescription, maxApplicationName } from '@gatehouse/protocol/limits'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { PictureField } from '../settings/picture-field.tsx'
import { Panel, SaveBar, useSubmit } from '../settings/settings-page.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { useSaveApplication } from './save-application.ts'

/** Name, picture and the end of an application. */
export function General({ application }: { application: Application }) {
  return (
    <>
      <Words application={application} />
      <Picture application={application} />
      <Deletion application={application} />
    </>
  )
}

function Words({ application }: { application: Application }) {
  const t = useT()
  const save = useSaveApplication(application)
  const [name, setName] = useState(application.name)
  const [description, setDescription] = useState(application.description)
  const { busy, saved, problem, at, submit } = useSubmit(cause => problemText(cause, t), {
    name: { min: 1, max: maxApplicationName },
    description: { max: maxApplicationDescription },
  })
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
        problem={at.name}
      />
      <Field
        label={t('console.description')}
        value={description}
        onChange={setDescription}
        maxLength={maxApplicationDescription}
        autoComplete="off"
        problem={at.description}
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
