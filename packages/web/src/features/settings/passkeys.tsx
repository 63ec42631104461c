import { maxPasskeyName } from '@gatehouse/protocol/limits'
import type { Passkey, PasskeyRegistration } from '@gatehouse/protocol/second-factor'
import { useState } from 'react'
import { problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { browserName, useIdentityConfirmation } from '../identity/index.ts'

interface PasskeysProps {
  passkeys: readonly Passkey[]
  onChange(recoveryCodes?: readonly string[]): Promise<void>
}

/** Lists, adds and removes passkeys (WebAuthn). */
export function Passkeys({ passkeys, onChange }: PasskeysProps) {
  const t = useSettingsT()
  const [adding, setAdding] = useState(false)
  return (
    <>
      {passkeys.length > 0 && (
        <ul className="rows" aria-label={t('factor.passkeys')}>
          {passkeys.map(passkey => (
            <PasskeyRow key={passkey.id} passkey={passkey} onChange={onChange} />
          ))}
        </ul>
      )}
      <div className="row-card">
        <span className="row-icon">
          <Icon name="lock" />
        </span>
        <div className="grow">
          <strong>{t('factor.passkeys')}</strong>
          <p className="hint">{supportsPasskeys() ? t('factor.passkeysHint') : t('factor.noPasskeysHere')}</p>
        </div>
        {!adding && supportsPasskeys() && (
          <button type="button" className="button secondary small" onClick={() => setAdding(true)}>
            {t('factor.addPasskey')}
          </button>
        )}
        {adding && (
          <AddPasskey
            onCancel={() => setAdding(false)}
            onAdded={async codes => {
              setAdding(false)
              await onChange(codes)
            }}
          />
        )}
      </div>
    </>
  )
}

/** WebAuthn needs a secure context, and the JSON functions need a browser from 2024 or later. */
function supportsPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  )
}

interface AddPasskeyProps {
  onCancel(): void
  onAdded(recoveryCodes: readonly string[]): Promise<void>
}

function AddPasskey({ onCancel, onAdded }: AddPasskeyProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const suggested = browserName(navigator.userAgent) ?? ''
  const [name, setName] = useState(suggested)
  const form = useSubmit({}, describeProblem)
  function describeProblem(cause: unknown): string {
    if (cause instanceof DOMException)
      return cause.name === 'InvalidStateError' ? t('factor.passkeyKnown') : t('factor.passkeyNotMade')
    return problemText(cause, t)
  }
  async function add() {
    const options = await confirmIdentity(body => api.call('createPasskeyOptions', { body }))
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const credential = await navigator.credentials.create({ publicKey })
    if (!(credential instanceof PublicKeyCredential))
      throw new DOMException('The authenticator did not create a passkey.')
    const added = await api.call('addPasskey', {
      // `navigator.credentials.create()` returns no other type.
      body: { name, response: credential.toJSON() as PasskeyRegistration },
    })
    await onAdded(added.recoveryCodes)
  }
  return (
    <SettingsForm
      form={form}
      dirty={name.trim() !== ''}
      unsaved={name !== suggested}
      label={t('action.continue')}
      onSave={add}
      onCancel={onCancel}
    >
      <Field
        label={t('factor.passkeyName')}
        hint={t('factor.passkeyNameHint')}
        value={name}
        onChange={setName}
        required
        autoFocus
        maxLength={maxPasskeyName}
      />
    </SettingsForm>
  )
}

function PasskeyRow({ passkey, onChange }: { passkey: Passkey; onChange(): Promise<void> }) {
  const { t, dates } = useSettingsI18n()
  const { api } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const confirm = useConfirm()
  const { busy, problem, submit } = useSubmit()
  const { id, name, createdAt, lastUsedAt } = passkey
  const remove = () =>
    submit(async () => {
      await confirmIdentity(body => api.call('removePasskey', { id, body }))
      await onChange()
    })
  const confirmRemove = () =>
    confirm({
      title: t('factor.removePasskey'),
      text: t('factor.removePasskeyConfirm', { name }),
      action: t('action.remove'),
      // Not awaited: this dialog must close before the one that asks for a proof opens.
      run: async () => void remove(),
    })
  return (
    <li className="row-card">
      <span className="row-icon">
        <Icon name="lock" />
      </span>
      <div className="grow">
        <strong>{name}</strong>
        <p className="hint">
          {t('factor.passkeySince', { date: dates.day(createdAt) })}
          {lastUsedAt && ` · ${t('settings.lastUsed', { date: dates.full(lastUsedAt) })}`}
        </p>
        <ErrorText text={problem} />
      </div>
      <button
        type="button"
        className="button secondary small"
        disabled={busy}
        aria-label={`${t('action.remove')}: ${name}`}
        onClick={confirmRemove}
      >
        {t('action.remove')}
      </button>
    </li>
  )
}
