import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import type { Translate } from '../../core/i18n/translate.ts'
import type { Invocation } from '../../core/stores/invocations.ts'
import { Icon } from '../../ui/icon.tsx'
import { NoticeAction } from '../../ui/notice-action.tsx'

/** Explains why an invocation failed. Only the user who invoked it sees the notice. */
export function InvocationNotice({ invocation }: { invocation: Invocation }) {
  const t = useT()
  const { invocations } = useClient()
  return (
    <p className="notice danger" role="alert">
      <Icon name={invocation.state === 'timed_out' ? 'clock' : 'warning'} />
      <span>{failureText(invocation, t)}</span>
      <span className="notice-visibility">{t('chat.onlyYou')}</span>
      <NoticeAction label={t('action.dismiss')} onPress={() => invocations.dismiss(invocation.nonce)} />
    </p>
  )
}

/** A failed request has no reason code; its `reason` is already a text for the user. */
export function failureText({ state, reason, reasonCode, botName: name }: Invocation, t: Translate): string {
  if (reasonCode) return t(`interaction.reason.${reasonCode}`, { name })
  if (state === 'timed_out') return t('interaction.reason.no_answer', { name })
  return reason || t('interaction.reason.unreachable', { name })
}
