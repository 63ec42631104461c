import { useClient } from '../app/client-context.ts'
import { useT } from '../i18n/i18n.tsx'
import type { Translate } from '../i18n/translate.ts'
import { Icon } from '../ui/icon.tsx'
import type { Invocation } from './invocations.ts'

/** That a bot did not answer, in time or at all: seen by oneself only. */
export function InvocationNotice({ invocation }: { invocation: Invocation }) {
  const t = useT()
  const { invocations } = useClient()
  const words = wordsOf(invocation, t)
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

/** Of a refusal, which has no code of an outcome, the words that the form found for it. */
function wordsOf({ state, reason, reasonCode, botName: name }: Invocation, t: Translate): string {
  if (reasonCode) return t(`interaction.reason.${reasonCode}`, { name })
  if (state === 'timed_out') return t('interaction.timedOut', { name })
  return reason || t('interaction.failed', { name })
}
