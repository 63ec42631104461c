import { maxDisplayName, maxImageBytes, maxUsername } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useSelf } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Field } from '../ui/field.tsx'
import { Panel, SaveBar, useSubmit } from './settings-page.tsx'

/** How one is seen by others. */
export function Profile() {
  return (
    <>
      <Picture />
      <Names />
    </>
  )
}

function Names() {
  const t = useT()
  const self = useSelf()
  const { api } = useClient()
  const queries = useQueryClient()
  const [displayName, setDisplayName] = useState(self.displayName)
  const [username, setUsername] = useState(self.username)
  const { busy, saved, error, problem, submit } = useSubmit(cause => problemText(cause, t))
  const dirty = displayName !== self.displayName || username !== self.username
  function save(event: FormEvent) {
    event.preventDefault()
    const changes = {
      ...(displayName === self.displayName ? {} : { displayName }),
      ...(username === self.username ? {} : { username }),
    }
    void submit(async () => {
      queries.setQueryData(keys.self, await api.send<SelfUser>('PATCH', '/api/users/@me', changes))
    })
  }
  const taken = error instanceof ApiError && error.code === 'conflict'
  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('settings.displayName')}
        value={displayName}
        onChange={setDisplayName}
        required
        maxLength={maxDisplayName}
        autoComplete="nickname"
      />
      <Field
        label={t('settings.username')}
        hint={t('settings.usernameHint')}
        value={username}
        onChange={setUsername}
        required
        maxLength={maxUsername}
        autoComplete="username"
        spellCheck={false}
        problem={taken ? problem : undefined}
      />
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={taken ? undefined : problem} />
    </form>
  )
}

function Picture() {
  const t = useT()
  const self = useSelf()
  const { api } = useClient()
  const queries = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [tooBig, setTooBig] = useState(false)
  const { busy, problem, submit } = useSubmit(cause => problemText(cause, t))
  const put = (request: () => Promise<SelfUser>) =>
    void submit(async () => {
      queries.setQueryData(keys.self, await request())
    })
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (!file) return
    setTooBig(file.size > maxImageBytes)
    if (file.size <= maxImageBytes) put(() => api.upload<SelfUser>('/api/users/@me/avatar', file))
  }
  return (
    <Panel title={t('settings.avatar')} hint={t('settings.avatarHint')}>
      <div className="line">
        <Avatar src={self.avatar} name={self.displayName} size={80} />
        <button type="button" className="button" disabled={busy} onClick={() => input.current?.click()}>
          {t('settings.avatarChange')}
        </button>
        <button
          type="button"
          className="button plain"
          disabled={busy}
          onClick={() => put(() => api.send<SelfUser>('DELETE', '/api/users/@me/avatar'))}
        >
          {t('settings.avatarRemove')}
        </button>
        <input
          ref={input}
          type="file"
          className="unseen"
          tabIndex={-1}
          aria-label={t('settings.avatarChange')}
          accept="image/png,image/jpeg,image/gif,image/webp"
          onChange={choose}
        />
      </div>
      {(tooBig || problem) && (
        <p className="problem" role="alert">
          {tooBig ? t('settings.avatarTooBig') : problem}
        </p>
      )}
    </Panel>
  )
}
