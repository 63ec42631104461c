import type { Application } from '@gatehouse/protocol/applications'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { toCurl } from '../../ui/curl.ts'

/** Copies the request with `event` to an interactions endpoint. Absent for Discord's format, which has other bodies. */
export function CopyEvent({ application, event }: { application: Application; event: unknown }) {
  const t = useSettingsT()
  if (application.interactionsEndpointFormat !== 'native' || !isJsonObject(event)) return null
  const command = toCurl('$ENDPOINT', {
    headers: ['X-Signature-Ed25519: $SIGNATURE', 'X-Signature-Timestamp: $TIMESTAMP'],
    contentType: 'application/json',
    body: JSON.stringify({ ...event, token: '$TOKEN' }),
  })
  return <CopyButton label={t('action.copyCurl')} value={command} />
}
