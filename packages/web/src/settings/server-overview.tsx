import { maxServerName } from '@gatehouse/protocol/limits'
import type { Server, UserServer } from '@gatehouse/protocol/servers'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { PictureField } from './picture-field.tsx'
import { Panel, SaveBar, useSubmit } from './settings-page.tsx'

/** What a server looks like and is called; its end. */
export function ServerOverview({ server }: { server: UserServer }) {
  return (
    <>
      <ServerIcon server={server} />
      <ServerName server={server} />
      {server.owner && <DeleteServer server={server} />}
    </>
  )
}

function ServerIcon({ server }: { server: UserServer }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const path = `/api/servers/${server.id}/icon`
  const put = async (request: Promise<Server>) => {
    const { icon } = await request
    queries.setQueryData<UserServer[]>(keys.servers, list =>
      list?.map(other => (other.id === server.id ? { ...other, icon } : other)),
    )
  }
  return (
    <PictureField
      title={t('server.icon')}
      src={server.icon}
      name={server.name}
      onChoose={file => put(api.upload<Server>(path, file))}
      {...(server.icon === null ? {} : { onRemove: () => put(api.send<Server>('DELETE', path)) })}
    />
  )
}

function ServerName({ server }: { server: UserServer }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  // Until it is edited, what others make of it shows here too.
  const [edited, setEdited] = useState<string>()
  const name = edited ?? server.name
  const { busy, saved, problem, submit } = useSubmit(cause => problemText(cause, t))
  function save(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      await api.send('PATCH', `/api/servers/${server.id}`, { name })
      await queries.invalidateQueries({ queryKey: keys.servers })
      setEdited(undefined)
    })
  }
  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('server.name')}
        value={name}
        onChange={setEdited}
        required
        maxLength={maxServerName}
        autoComplete="off"
      />
      <SaveBar dirty={name !== server.name} busy={busy} saved={saved} problem={problem} />
    </form>
  )
}

function DeleteServer({ server }: { server: UserServer }) {
  const t = useT()
  const { api } = useClient()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: t('server.delete'),
      text: t('server.deleteConfirm', { name: server.name }),
      action: t('server.delete'),
      run: async () => {
        await api.send('DELETE', `/api/servers/${server.id}`)
        await queries.invalidateQueries({ queryKey: keys.servers })
        await navigate('/')
      },
    })
  return (
    <Panel>
      <div className="line">
        <button type="button" className="button bad" onClick={ask}>
          {t('server.delete')}
        </button>
      </div>
    </Panel>
  )
}
