import { maxDisplayName, maxUsername, minUsername } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import type { FormEvent } from 'react'
import { ApiError } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../../ui/image-field.tsx'
import { SaveBar } from '../../ui/settings-page.tsx'
import { useEdits } from '../../ui/use-edits.ts'
import { useSubmit } from '../../ui/use-submit.ts'

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
  const { displayName, username } = useSelf()
  const { api, queries } = useClient()
  const { fields, changes, dirty, edit, dropSubmitted } = useEdits({ displayName, username })
  const { busy, saved, error, problem, fieldProblems, submit } = useSubmit({
    displayName: { min: 1, max: maxDisplayName },
    username: { min: minUsername, max: maxUsername },
  })
  function save(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      queries.setQueryData(keys.self, await api.call('updateCurrentUser', { body: changes }))
      dropSubmitted()
    })
  }
  const isUsernameTaken = error instanceof ApiError && error.code === 'conflict'
  return (
    <form className="stack" onSubmit={save}>
      <Field
        label={t('settings.displayName')}
        value={fields.displayName}
        onChange={text => edit({ displayName: text })}
        required
        maxLength={maxDisplayName}
        autoComplete="nickname"
        problem={fieldProblems.displayName}
      />
      <Field
        label={t('settings.username')}
        hint={t('settings.usernameHint')}
        value={fields.username}
        onChange={text => edit({ username: text })}
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
      onChoose={file => updateSelf(api.call('setAvatar', { body: file }))}
      onRemove={() => updateSelf(api.call('deleteAvatar'))}
    />
  )
}
