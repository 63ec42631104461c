import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Invocation } from './invocations.ts'

/** That a bot did not answer, in time or at all: seen by oneself only. */
export function InvocationNotice({ invocation }: { invocation: Invocation }) {
  const t = useT()
  const { invocations } = useClient()
  const name = invocation.botName
  const words =
    invocation.state === 'timed_out'
      ? t('interaction.timedOut', { name })
      : invocation.reason || t('interaction.failed', { name })
  return (
    <p className="notice bad" role="alert">
      <Icon name={invocation.state === 'timed_out' ? 'clock' : 'warning'} />
      <span>{words}</span>
      <span className="notice-only">{t('chat.onlyYou')}</span>
      <button type="button" className="notice-action" onClick={() => invocations.dismiss(invocation.nonce)}>
        {t('action.dismiss')}
      </button>
    </p>
  )
}
