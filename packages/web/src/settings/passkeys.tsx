import { maxPasskeyName } from '@gatehouse/protocol/limits'
import type { AddedPasskey, Passkey, PasskeyCreationOptions } from '@gatehouse/protocol/second-factor'
import { type FormEvent, useState } from 'react'
import { problemText } from '../api/client.ts'
import { useClient } from '../app/client-context.ts'
import { useI18n, useT } from '../i18n/i18n.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { browserName } from './browser-name.ts'
import { useProve, Withdrawn } from './proof.tsx'
import { SaveBar, useSubmit } from './settings-page.tsx'

const path = '/api/users/@me/second-factors/passkeys'

interface PasskeysProps {
  passkeys: readonly Passkey[]
  onChange(recoveryCodes?: readonly string[]): Promise<void>
}

/** Keys that the device keeps and opens by a finger, a face or a PIN. */
export function Passkeys({ passkeys, onChange }: PasskeysProps) {
  const t = useT()
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
          <p className="hint">{hasPasskeys() ? t('factor.passkeysHint') : t('factor.noPasskeysHere')}</p>
        </div>
        {!adding && hasPasskeys() && (
          <button type="button" className="button soft small" onClick={() => setAdding(true)}>
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

/** Not on pages that came by plain http from another machine, and not in browsers of before 2024. */
function hasPasskeys(): boolean {
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
  const t = useT()
  const { api } = useClient()
  const prove = useProve()
  const [name, setName] = useState(() => browserName(navigator.userAgent) ?? '')
  const { busy, saved, problem, submit } = useSubmit(cause => describe(cause))
  function describe(cause: unknown): string {
    if (cause instanceof Withdrawn) return ''
    if (cause instanceof DOMException)
      return cause.name === 'InvalidStateError' ? t('factor.passkeyKnown') : t('factor.passkeyNotMade')
    return problemText(cause, t)
  }
  function add(event: FormEvent) {
    event.preventDefault()
    void submit(async () => {
      const options = await prove(proof =>
        api.send<PasskeyCreationOptions>('POST', `${path}/options`, proof ?? undefined),
      )
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
      const made = await navigator.credentials.create({ publicKey })
      if (!(made instanceof PublicKeyCredential)) throw new DOMException('no passkey was made')
      const added = await api.send<AddedPasskey>('POST', path, { name, response: made.toJSON() })
      await onAdded(added.recoveryCodes)
    })
  }
  return (
    <form className="stack" onSubmit={add}>
      <Field
        label={t('factor.passkeyName')}
        hint={t('factor.passkeyNameHint')}
        value={name}
        onChange={setName}
        required
        maxLength={maxPasskeyName}
        autoComplete="off"
      />
      <div className="line">
        <SaveBar
          dirty={name.trim() !== ''}
          busy={busy}
          saved={saved}
          problem={problem}
          label={t('action.continue')}
        />
        <button type="button" className="button plain" onClick={onCancel}>
          {t('action.cancel')}
        </button>
      </div>
    </form>
  )
}

function PasskeyRow({ passkey, onChange }: { passkey: Passkey; onChange(): Promise<void> }) {
  const { t, dates } = useI18n()
  const { api } = useClient()
  const prove = useProve()
  const confirm = useConfirm()
  const { busy, problem, submit } = useSubmit(cause =>
    cause instanceof Withdrawn ? '' : problemText(cause, t),
  )
  const { id, name, createdAt, lastUsedAt } = passkey
  const remove = () =>
    submit(async () => {
      await prove(proof => api.send('DELETE', `${path}/${id}`, proof ?? undefined))
      await onChange()
    })
  const ask = () =>
    confirm({
      title: t('factor.removePasskey'),
      text: t('factor.removePasskeyConfirm', { name }),
      action: t('action.remove'),
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
          {lastUsedAt && ` · ${t('webhook.lastUsed', { date: dates.full(lastUsedAt) })}`}
        </p>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      <button
        type="button"
        className="button soft small"
        disabled={busy}
        aria-label={`${t('action.remove')}: ${name}`}
        onClick={ask}
      >
        {t('action.remove')}
      </button>
    </li>
  )
}
