import { useMutation } from '@tanstack/react-query'
import { problemText } from '../../core/api/client.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'

/** Sends the verification mail again. */
export function ResendVerification() {
  const t = useSettingsT()
  const { api } = useClient()
  const resend = useMutation({ mutationFn: () => api.call('resendVerificationEmail') })
  return (
    <div className="line">
      <button
        type="button"
        className="button secondary small"
        disabled={resend.isPending || resend.isSuccess}
        onClick={() => resend.mutate()}
      >
        {t('settings.emailResend')}
      </button>
      <span role="status" className="hint">
        {resend.isSuccess ? t('settings.emailSent') : resend.error ? problemText(resend.error, t) : ''}
      </span>
    </div>
  )
}
