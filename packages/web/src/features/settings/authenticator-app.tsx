import type { TotpSetUp } from '@gatehouse/protocol/second-factor'
import { useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { useConfirm } from '../../ui/use-confirm.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { useIdentityConfirmation } from '../identity/index.ts'

interface AuthenticatorAppProps {
  active: boolean
  onChange(recoveryCodes?: readonly string[]): Promise<void>
}

/** Turns the TOTP factor (RFC 6238) on and off. */
export function AuthenticatorApp({ active, onChange }: AuthenticatorAppProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const confirm = useConfirm()
  const [setUp, setSetUp] = useState<TotpSetUp>()
  const { busy, problem, submit } = useSubmit()
  const start = () =>
    submit(async () => {
      setSetUp(await confirmIdentity(body => api.call('startTotp', { body })))
    })
  const remove = () =>
    submit(async () => {
      await confirmIdentity(body => api.call('removeTotp', { body }))
      await onChange()
    })
  const confirmRemove = () =>
    confirm({
      title: t('factor.removeApp'),
      text: t('factor.removeAppConfirm'),
      action: t('action.remove'),
      // Not awaited: this dialog must close before the one that asks for a proof opens.
      run: async () => void remove(),
    })
  return (
    <div className="row-card">
      <span className="row-icon">
        <Icon name="clock" />
      </span>
      <div className="grow">
        <strong>{t('factor.app')}</strong> {active && <span className="badge">{t('factor.on')}</span>}
        <p className="hint">{t('factor.appHint')}</p>
        <ErrorText text={problem} />
      </div>
      {active ? (
        <button type="button" className="button secondary small" disabled={busy} onClick={confirmRemove}>
          {t('factor.removeApp')}
        </button>
      ) : (
        !setUp && (
          <button
            type="button"
            className="button secondary small"
            disabled={busy}
            onClick={() => void start()}
          >
            {t('factor.addApp')}
          </button>
        )
      )}
      {setUp && !active && (
        <ConfirmApp
          setUp={setUp}
          onCancel={() => setSetUp(undefined)}
          onConfirmed={async codes => {
            setSetUp(undefined)
            await onChange(codes)
          }}
        />
      )}
    </div>
  )
}

interface ConfirmAppProps {
  setUp: TotpSetUp
  onCancel(): void
  onConfirmed(recoveryCodes: readonly string[]): Promise<void>
}

/** Activates the factor with a first code of the app. */
function ConfirmApp({ setUp, onCancel, onConfirmed }: ConfirmAppProps) {
  const t = useSettingsT()
  const { api } = useClient()
  const [code, setCode] = useState('')
  const form = useSubmit()
  async function save() {
    const response = await api.call('confirmTotp', { body: { code } })
    await onConfirmed(response.recoveryCodes)
  }
  return (
    <SettingsForm
      form={{ ...form, problem: undefined }}
      dirty={code.trim() !== ''}
      label={t('factor.turnOn')}
      onSave={save}
      onCancel={onCancel}
    >
      <div className="qr-line">
        <img
          className="qr"
          src={`data:image/svg+xml,${encodeURIComponent(setUp.qr)}`}
          alt={t('factor.qr')}
          width={168}
          height={168}
        />
        <div className="stack grow">
          <p>{t('factor.scan')}</p>
          <CopyField label={t('factor.secret')} value={setUp.secret} />
        </div>
      </div>
      <Field
        label={t('factor.code')}
        value={code}
        onChange={setCode}
        required
        autoFocus
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        problem={form.problem}
      />
    </SettingsForm>
  )
}
