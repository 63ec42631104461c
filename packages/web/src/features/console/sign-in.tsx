import type { Application } from '@gatehouse/protocol/applications'
import { maxRedirectUris } from '@gatehouse/protocol/limits'
import { useEffect, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Field } from '../../ui/field.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { AuthorizationUrlBuilder } from './authorization-url-builder.tsx'
import { RefreshGrace } from './refresh-grace.tsx'
import { useSaveApplication } from './save-application.ts'
import { ScopeSettings } from './scope-settings.tsx'
import { ServerBinding } from './server-binding.tsx'
import { UriList, useUris } from './uri-list.tsx'

interface CredentialsProps {
  application: Application
  /** Of an application that was just created. */
  newSecret: string | undefined
  /** The secret is on the page, and not shown again. */
  onSecretShown(): void
}

/** The OAuth client of an application: credentials, URIs, and the settings of scopes and refresh tokens. */
export function SignIn({ application, ...secret }: CredentialsProps) {
  return (
    <>
      <ClientCredentials application={application} {...secret} />
      <RedirectUris application={application} />
      <ServerBinding application={application} />
      <ScopeSettings application={application} />
      <AuthorizationUrlBuilder application={application} />
      <RefreshGrace application={application} />
      <Logout application={application} />
    </>
  )
}

function ClientCredentials({ application, newSecret, onSecretShown }: CredentialsProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const confirm = useConfirm()
  const [secret, setSecret] = useState(newSecret)
  useEffect(onSecretShown, [onSecretShown])
  const confirmReset = () =>
    confirm({
      title: t('console.resetSecret'),
      text: t('console.resetSecretConfirm'),
      run: async () => {
        const response = await api.call('resetClientSecret', { id: application.id })
        setSecret(response.clientSecret)
      },
    })
  return (
    <Panel>
      <CopyField label={t('console.clientId')} value={application.id} />
      {application.type === 'confidential' && (
        <>
          {secret ? (
            <SecretOnce
              key={secret}
              forms={[{ label: t('console.clientSecret'), value: secret, hint: t('console.secretOnce') }]}
            />
          ) : (
            <p className="hint">{t('console.secretHidden')}</p>
          )}
          <div className="line">
            <button type="button" className="button secondary" onClick={confirmReset}>
              {t('console.resetSecret')}
            </button>
          </div>
        </>
      )}
    </Panel>
  )
}

function RedirectUris({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const list = useUris(application.redirectUris)
  const [loopback, setLoopback] = useState(application.allowLoopbackPort)
  const form = useSubmit()
  const dirty = list.isDirty(application.redirectUris) || loopback !== application.allowLoopbackPort

  async function onSave() {
    const changes = {
      redirectUris: list.compact(),
      ...(application.type === 'public' ? { allowLoopbackPort: loopback } : {}),
    }
    list.reset((await save(changes)).redirectUris)
  }

  return (
    <Panel title={t('console.redirects')} hint={t('console.redirectsHint', { max: maxRedirectUris })}>
      <SettingsForm
        form={list.hasFieldError(form.error, 'redirectUris') ? { ...form, problem: undefined } : form}
        dirty={dirty}
        onSave={onSave}
      >
        <UriList
          list={list}
          path="redirectUris"
          error={form.error}
          label={number => t('console.redirect', { number })}
          add={t('console.addRedirect')}
          placeholder="https://example.com/callback"
        />
        {application.type === 'public' && (
          <label className="check">
            <input type="checkbox" checked={loopback} onChange={event => setLoopback(event.target.checked)} />
            {t('console.loopback')}
          </label>
        )}
      </SettingsForm>
    </Panel>
  )
}

/** The URIs of RP-initiated logout and of back-channel logout. */
function Logout({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const list = useUris(application.postLogoutRedirectUris)
  const initial = application.backchannelLogoutUri ?? ''
  const [backchannel, setBackchannel] = useState(initial)
  const form = useSubmit({
    backchannelLogoutUri: {},
  })
  const dirty = list.isDirty(application.postLogoutRedirectUris) || backchannel !== initial

  async function onSave() {
    const changes = {
      postLogoutRedirectUris: list.compact(),
      backchannelLogoutUri: backchannel.trim() === '' ? null : backchannel.trim(),
    }
    list.reset((await save(changes)).postLogoutRedirectUris)
  }

  return (
    <Panel title={t('console.signOut')} hint={t('console.signOutHint')}>
      <SettingsForm
        form={
          list.hasFieldError(form.error, 'postLogoutRedirectUris') ? { ...form, problem: undefined } : form
        }
        dirty={dirty}
        onSave={onSave}
      >
        <UriList
          list={list}
          path="postLogoutRedirectUris"
          error={form.error}
          label={number => t('console.postLogout', { number })}
          add={t('console.addPostLogout')}
          placeholder="https://example.com/goodbye"
        />
        <Field
          label={t('console.backchannel')}
          hint={t('console.backchannelHint')}
          value={backchannel}
          onChange={setBackchannel}
          inputMode="url"
          spellCheck={false}
          placeholder="https://example.com/signed-out"
          problem={form.fieldProblems.backchannelLogoutUri}
        />
      </SettingsForm>
    </Panel>
  )
}
