import type { Application, SettingScope } from '@gatehouse/protocol/applications'
import { useState } from 'react'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useMarkUnsaved } from '../../ui/unsaved.ts'
import { buildAuthorizationUrl, offeredScopes } from './authorization-url.ts'
import { ScopeChecks } from './scope-checks.tsx'

const initialScopes: readonly SettingScope[] = ['openid', 'identify']

/** Builds the authorization request URL of a sign-in button from the chosen scopes and redirect URI. */
export function AuthorizationUrlBuilder({ application }: { application: Application }) {
  const t = useSettingsT()
  const [selected, setSelected] = useState<readonly SettingScope[]>(initialScopes)
  const offered = offeredScopes(application)
  const scopes = offered.filter(scope => selected.includes(scope))
  const [selectedUri, setSelectedUri] = useState<string>()
  const { redirectUris } = application
  const redirectUri = redirectUris.find(uri => uri === selectedUri) ?? redirectUris[0]
  const toggle = (scope: SettingScope) =>
    setSelected(scopes.includes(scope) ? scopes.filter(other => other !== scope) : [...scopes, scope])
  const [copied, setCopied] = useState<string>()
  const url =
    redirectUri === undefined || scopes.length === 0
      ? undefined
      : buildAuthorizationUrl(location.origin, application, { redirectUri, scopes })
  useMarkUnsaved(selected !== initialScopes && url !== undefined && copied !== url)
  return (
    <Panel title={t('console.authorizationUrl')} hint={t('console.authorizationUrlHint')}>
      <ScopeChecks
        label={t('console.scopes')}
        scopes={offered}
        isSelected={scope => scopes.includes(scope)}
        onToggle={toggle}
        hint={!offered.includes('groups') && t('console.groupsHint')}
      />
      {redirectUri === undefined ? (
        <p className="hint">{t('console.redirectRequired')}</p>
      ) : (
        <>
          {redirectUris.length > 1 && (
            <SelectField
              label={t('console.selectedRedirect')}
              value={redirectUri}
              options={redirectUris.map(uri => ({ value: uri, text: uri }))}
              onChange={setSelectedUri}
            />
          )}
          {url === undefined ? (
            <p className="problem">{t('console.scopeRequired')}</p>
          ) : (
            <CopyField
              label={t('console.generatedUrl')}
              value={url}
              hint={t(application.type === 'public' ? 'console.pkceHint' : 'console.stateHint')}
              onCopied={() => setCopied(url)}
            />
          )}
        </>
      )}
    </Panel>
  )
}
