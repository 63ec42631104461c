import { maxDisplayName, maxUsername, minUsername } from '@gatehouse/protocol/limits'
import type { SelfUser } from '@gatehouse/protocol/users'
import { ApiError } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Field } from '../../ui/field.tsx'
import { ImageField } from '../../ui/image-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useEditForm } from '../../ui/use-submit.ts'

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
  const t = useSettingsT()
  const { displayName, username } = useSelf()
  const { api, queries } = useClient()
  const form = useEditForm(
    { displayName, username },
    { displayName: { min: 1, max: maxDisplayName }, username: { min: minUsername, max: maxUsername } },
  )
  const { error, fieldProblems, problem } = form
  const isUsernameTaken = error instanceof ApiError && error.code === 'conflict'
  return (
    <SettingsForm
      form={{ ...form, problem: isUsernameTaken ? undefined : problem }}
      onSave={async () =>
        queries.setQueryData(keys.self, await api.call('updateCurrentUser', { body: form.changes }))
      }
    >
      <Field
        label={t('settings.displayName')}
        {...form.field('displayName')}
        required
        autoComplete="nickname"
      />
      <Field
        label={t('settings.username')}
        hint={t('settings.usernameHint')}
        {...form.field('username')}
        required
        autoComplete="username"
        spellCheck={false}
        problem={isUsernameTaken ? t('settings.usernameTaken') : fieldProblems.username}
      />
    </SettingsForm>
  )
}

function AvatarField() {
  const t = useSettingsT()
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
