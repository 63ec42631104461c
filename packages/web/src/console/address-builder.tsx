import type { Application } from '@gatehouse/protocol/applications'
import { useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Panel } from '../settings/settings-page.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { SelectField } from '../ui/select-field.tsx'
import { type SignInScope, signInAddress, signInScopes } from './sign-in-address.ts'

/** The address that a sign-in button leads to, put together from what is ticked. */
export function AddressBuilder({ application }: { application: Application }) {
  const t = useT()
  const [scopes, setScopes] = useState<readonly SignInScope[]>(['identify'])
  const [chosen, setChosen] = useState<string>()
  const { redirectUris } = application
  const redirectUri = redirectUris.find(uri => uri === chosen) ?? redirectUris[0]
  const toggle = (scope: SignInScope) =>
    setScopes(scopes.includes(scope) ? scopes.filter(other => other !== scope) : [...scopes, scope])
  return (
    <Panel title={t('console.address')} hint={t('console.addressHint')}>
      <fieldset className="checks fieldset">
        <legend className="hint">{t('console.scopes')}</legend>
        {signInScopes.map(scope => (
          <label key={scope} className="check">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            <span>
              {t(`scope.${scope}`)} <code className="hint">{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      {redirectUri === undefined ? (
        <p className="hint">{t('console.addressNeedsRedirect')}</p>
      ) : (
        <>
          {redirectUris.length > 1 && (
            <SelectField
              label={t('console.addressRedirect')}
              value={redirectUri}
              options={redirectUris.map(uri => ({ value: uri, text: uri }))}
              onChange={setChosen}
            />
          )}
          {scopes.length === 0 ? (
            <p className="problem">{t('console.addressNeedsScope')}</p>
          ) : (
            <CopyField
              label={t('console.addressResult')}
              value={signInAddress(location.origin, application, { redirectUri, scopes })}
              hint={
                application.type === 'public' ? t('console.addressPublicHint') : t('console.addressStateHint')
              }
            />
          )}
        </>
      )}
    </Panel>
  )
}
