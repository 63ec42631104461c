import { maxDisplayName, maxUsername, minUsername } from '@gatehouse/protocol/limits'
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
  // What is not touched follows a change that is made elsewhere.
  const [drafts, setDrafts] = useState<Partial<Pick<SelfUser, 'displayName' | 'username'>>>({})
  const { displayName, username } = { ...self, ...drafts }
  const { busy, saved, error, problem, at, submit } = useSubmit(cause => problemText(cause, t), {
    displayName: { min: 1, max: maxDisplayName },
    username: { min: minUsername, max: maxUsername },
  })
  const dirty = displayName !== self.displayName || username !== self.username
  function save(event: FormEvent) {
    event.preventDefault()
    const changes = {
      ...(displayName === self.displayName ? {} : { displayName }),
      ...(username === self.username ? {} : { username }),
    }
    void submit(async () => {
      queries.setQueryData(keys.self, await api.send<SelfUser>('PATCH', '/api/users/@me', changes))
      setDrafts({})
    })
  }
  const taken = error instanceof ApiError && error.code === 'conflict'
  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('settings.displayName')}
        value={displayName}
        onChange={text => setDrafts({ ...drafts, displayName: text })}
        required
        maxLength={maxDisplayName}
        autoComplete="nickname"
        problem={at.displayName}
      />
      <Field
        label={t('settings.username')}
        hint={t('settings.usernameHint')}
        value={username}
        onChange={text => setDrafts({ ...drafts, username: text })}
        required
        maxLength={maxUsername}
        autoComplete="username"
        spellCheck={false}
        problem={taken ? t('settings.usernameTaken') : at.username}
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
