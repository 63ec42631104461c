import type { Application, EndpointFormat } from '@gatehouse/protocol/applications'
import { toDiscordToken } from '@gatehouse/protocol/bot-token'
import { type PrivilegedIntent, privilegedIntents } from '@gatehouse/protocol/intents'
import { maxUsername, minUsername } from '@gatehouse/protocol/limits'
import { defaultBot, Permission } from '@gatehouse/protocol/permissions'
import { useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Field } from '../../ui/field.tsx'
import { PermissionChecks } from '../../ui/permission-checks.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useMarkUnsaved } from '../../ui/unsaved.ts'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useEditForm, useSubmit } from '../../ui/use-submit.ts'
import { useSaveApplication } from './save-application.ts'

/**
 * The bot of an application: its token, who may add it, its install link, its privileged intents and its interactions
 * endpoint.
 */
export function BotSection({ application }: { application: Application }) {
  const [token, setToken] = useState<string>()
  if (!application.bot) return <CreateBot application={application} onToken={setToken} />
  return (
    <>
      <Token application={application} token={token} onToken={setToken} />
      <PublicBot application={application} />
      <Install application={application} />
      <PrivilegedIntents application={application} />
      <Endpoint application={application} />
    </>
  )
}

interface CreateBotProps {
  application: Application
  onToken(token: string): void
}

function CreateBot({ application, onToken }: CreateBotProps) {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const suggested = suggestUsername(application.name)
  const [username, setUsername] = useState(suggested)
  const form = useSubmit({ username: { min: minUsername, max: maxUsername } }, cause =>
    isConflict(cause) ? t('settings.usernameTaken') : problemText(cause, t),
  )
  async function create() {
    const body = username === '' ? {} : { username }
    const queryKey = keys.application(application.id)
    try {
      const { bot, token } = await api.call('createBot', { id: application.id, body })
      onToken(token)
      queries.setQueryData(queryKey, { ...application, bot })
    } catch (error) {
      // If the bot was created in another window, it replaces this form. Otherwise the username is taken.
      if (isConflict(error)) await queries.invalidateQueries({ queryKey, exact: true })
      throw error
    }
  }
  return (
    <Panel hint={t('console.botHint')}>
      <SettingsForm
        form={form}
        dirty
        unsaved={username !== suggested}
        label={t('console.createBot')}
        onSave={create}
      >
        <Field
          label={t('console.botUsername')}
          hint={t('settings.usernameHint')}
          value={username}
          onChange={setUsername}
          maxLength={maxUsername}
          spellCheck={false}
          problem={form.fieldProblems.username}
        />
      </SettingsForm>
    </Panel>
  )
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'conflict'
}

function suggestUsername(name: string): string {
  const replaced = name.toLowerCase().replace(/[^a-z0-9_.]+/g, '_')
  return /[a-z0-9]/.test(replaced) ? replaced.slice(0, maxUsername) : ''
}

interface TokenProps {
  application: Application
  token: string | undefined
  onToken(token: string): void
}

function Token({ application, token, onToken }: TokenProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const confirm = useConfirm()
  const { bot } = application
  const confirmReset = () =>
    confirm({
      title: t('console.resetToken'),
      text: t('console.resetTokenConfirm'),
      run: async () => {
        const response = await api.call('resetBotToken', { id: application.id })
        onToken(response.token)
      },
    })
  return (
    <Panel title={t('console.botToken')}>
      {bot && (
        <div className="row-card">
          <Avatar src={bot.avatar} name={bot.displayName} size={44} />
          <span className="grow">
            <strong>{bot.displayName}</strong>
            <br />
            <span className="hint">{bot.username}</span>
          </span>
          <button type="button" className="button secondary small" onClick={confirmReset}>
            {t('console.resetToken')}
          </button>
        </div>
      )}
      {bot && token && (
        <SecretOnce
          key={token}
          forms={[
            { label: t('console.botToken'), value: token, hint: t('console.secretOnce') },
            {
              label: t('console.discordToken'),
              value: toDiscordToken(bot.id, token),
              hint: t('console.discordTokenHint'),
            },
          ]}
        />
      )}
    </Panel>
  )
}

function Install({ application }: { application: Application }) {
  const t = useSettingsT()
  const [permissions, setPermissions] = useState(defaultBot)
  const [copied, setCopied] = useState<string>()
  const query = new URLSearchParams({
    client_id: application.id,
    scope: 'bot applications.commands',
    permissions: permissions.toString(),
    // May be omitted only if there are not several (sign-in/bot-installation-response).
    ...(application.redirectUris.length > 1 ? { redirect_uri: application.redirectUris[0] ?? '' } : {}),
  })
  const url = `${location.origin}/oauth2/authorize?${query}`
  useMarkUnsaved(permissions !== defaultBot && copied !== url)
  return (
    <Panel title={t('console.install')} hint={t('console.installHint')}>
      <PermissionChecks
        label={t('console.permissions')}
        value={permissions}
        onToggle={name => setPermissions(permissions ^ Permission[name])}
      />
      <CopyField label={t('console.install')} value={url} onCopied={() => setCopied(url)} />
    </Panel>
  )
}

function PrivilegedIntents({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const isOn = (name: PrivilegedIntent) => application.privilegedIntents.includes(name)
  const form = useEditForm<Partial<Record<PrivilegedIntent, boolean>>>(
    Object.fromEntries(privilegedIntents.map(name => [name, isOn(name)])),
  )
  return (
    <Panel title={t('console.privilegedIntents')} hint={t('console.privilegedIntentsHint')}>
      <SettingsForm
        form={form}
        onSave={() => save({ privilegedIntents: privilegedIntents.filter(name => form.fields[name]) })}
      >
        {privilegedIntents.map(name => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={form.fields[name] === true}
              onChange={event => form.edit({ [name]: event.target.checked })}
            />
            {t(`console.intent.${name}`)}
          </label>
        ))}
      </SettingsForm>
    </Panel>
  )
}

/** Whether others may add the bot. */
function PublicBot({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const form = useEditForm({ public: application.public })
  return (
    <Panel title={t('console.publicBot')} hint={t('console.publicBotHint')}>
      <SettingsForm form={form} onSave={() => save(form.changes)}>
        <label className="check">
          <input
            type="checkbox"
            checked={form.fields.public}
            onChange={event => form.edit({ public: event.target.checked })}
          />
          {t('console.publicBotOn')}
        </label>
      </SettingsForm>
    </Panel>
  )
}

const formats = ['native', 'discord'] as const satisfies readonly EndpointFormat[]

function Endpoint({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const form = useEditForm({
    url: application.interactionsEndpointUrl ?? '',
    format: application.interactionsEndpointFormat,
  })
  const { url, format } = form.fields
  return (
    <Panel title={t('console.endpoint')} hint={t('console.endpointHint')}>
      <SettingsForm
        form={{ ...form, problem: undefined }}
        onSave={() =>
          save({ interactionsEndpointUrl: url.trim() || null, interactionsEndpointFormat: format })
        }
      >
        <Field
          label={t('console.endpoint')}
          {...form.field('url')}
          inputMode="url"
          spellCheck={false}
          placeholder="https://example.com/interactions"
          problem={form.problem}
        />
        <SelectField
          label={t('console.endpointFormat')}
          value={format}
          options={formats.map(value => ({ value, text: t(`console.endpointFormat.${value}`) }))}
          onChange={form.field('format').onChange}
        />
      </SettingsForm>
      <CopyField label={t('console.publicKey')} value={application.publicKey} />
    </Panel>
  )
}
