import { maxDisplayName, maxUsername, minUsername } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../../ui/image-field.tsx'
import { SaveBar, useSubmit } from '../../ui/settings-page.tsx'

/** The avatar and the names of the user. */
export function Profile() {
  return (
    <>
      <AvatarField />
      <Names />
    </>
  )
}

function Names() {
  const t = useT()
  const self = useSelf()
  const { api, queries } = useClient()
  // A field that is not edited shows changes from other windows.
  const [edited, setEdited] = useState<Partial<Pick<SelfUser, 'displayName' | 'username'>>>({})
  const { displayName, username } = { ...self, ...edited }
  const { busy, saved, error, problem, fieldProblems, submit } = useSubmit({
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
      setEdited({})
    })
  }
  const isUsernameTaken = error instanceof ApiError && error.code === 'conflict'
  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('settings.displayName')}
        value={displayName}
        onChange={text => setEdited({ ...edited, displayName: text })}
        required
        maxLength={maxDisplayName}
        autoComplete="nickname"
        problem={fieldProblems.displayName}
      />
      <Field
        label={t('settings.username')}
        hint={t('settings.usernameHint')}
        value={username}
        onChange={text => setEdited({ ...edited, username: text })}
        required
        maxLength={maxUsername}
        autoComplete="username"
        spellCheck={false}
        problem={isUsernameTaken ? t('settings.usernameTaken') : fieldProblems.username}
      />
      <SaveBar dirty={dirty} busy={busy} saved={saved} problem={isUsernameTaken ? undefined : problem} />
    </form>
  )
}

function AvatarField() {
  const t = useT()
  const self = useSelf()
  const { api, queries } = useClient()
  const updateSelf = async (request: Promise<SelfUser>) => queries.setQueryData(keys.self, await request)
  return (
    <ImageField
      title={t('settings.avatar')}
      src={self.avatar}
      name={self.displayName}
      onChoose={file => updateSelf(api.upload<SelfUser>('/api/users/@me/avatar', file))}
      onRemove={() => updateSelf(api.send<SelfUser>('DELETE', '/api/users/@me/avatar'))}
    />
  )
}
