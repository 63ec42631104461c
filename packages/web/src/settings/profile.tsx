import { maxDisplayName, maxUsername } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, problemText } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { useSelf } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Field } from '../ui/field.tsx'
import { PictureField } from './picture-field.tsx'
import { SaveBar, useSubmit } from './settings-page.tsx'

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
        problem={taken ? t('settings.usernameTaken') : undefined}
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
  const put = async (request: Promise<SelfUser>) => queries.setQueryData(keys.self, await request)
  return (
    <PictureField
      title={t('settings.avatar')}
      src={self.avatar}
      name={self.displayName}
      onChoose={file => put(api.upload<SelfUser>('/api/users/@me/avatar', file))}
      onRemove={() => put(api.send<SelfUser>('DELETE', '/api/users/@me/avatar'))}
    />
  )
}
