import { useState } from 'react'
import { keys } from '../../core/api/keys.ts'
import { useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { useIdentityConfirmation, useSecondFactors } from '../identity/index.ts'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { ResendVerification } from './resend-verification.tsx'

/** The second factors of the user: passkeys, authenticator app, recovery codes. */
export function SecondFactor() {
  const t = useSettingsT()
  const self = useSelf()
  const { queries } = useClient()
  const [codes, setCodes] = useState<readonly string[]>()
  const { data: factors, error } = useSecondFactors()
  async function onChange(recoveryCodes: readonly string[] = []) {
    if (recoveryCodes.length > 0) setCodes(recoveryCodes)
    // The first factor revokes the other sessions.
    await Promise.all([
      queries.invalidateQueries({ queryKey: keys.secondFactors }),
      queries.invalidateQueries({ queryKey: keys.sessions }),
    ])
  }
  const isActive = factors !== undefined && (factors.totp || factors.passkeys.length > 0)
  return (
    <Panel title={t('factor.title')} hint={t('factor.hint')}>
      <ErrorText error={error} />
      {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      {factors && !isActive && self.emailVerified === false ? (
        <>
          <p>{t('factor.needsEmail')}</p>
          <ResendVerification />
        </>
      ) : factors ? (
        <>
          <Passkeys passkeys={factors.passkeys} onChange={onChange} />
          <AuthenticatorApp active={factors.totp} onChange={onChange} />
          {isActive && <RenewRecoveryCodes remaining={factors.recoveryCodesLeft} onChange={onChange} />}
        </>
      ) : (
        !error && <span className="skeleton skeleton-row" />
      )}
    </Panel>
  )
}

function RenewRecoveryCodes({
  remaining,
  onChange,
}: {
  remaining: number
  onChange(codes: readonly string[]): Promise<void>
}) {
  const t = useSettingsT()
  const { api } = useClient()
  const confirmIdentity = useIdentityConfirmation()
  const { busy, problem, submit } = useSubmit()
  const renew = () =>
    submit(async () => {
      const { recoveryCodes } = await confirmIdentity(body => api.call('renewRecoveryCodes', { body }))
      await onChange(recoveryCodes)
    })
  return (
    <div className="row-card">
      <span className="row-icon">
        <Icon name="warning" />
      </span>
      <div className="grow">
        <strong>{t('factor.codes')}</strong>
        <p className="hint">{t('factor.codesLeft', { count: remaining })}</p>
        <ErrorText text={problem} />
      </div>
      <button type="button" className="button secondary small" disabled={busy} onClick={() => void renew()}>
        {t('factor.newCodes')}
      </button>
    </div>
  )
}
