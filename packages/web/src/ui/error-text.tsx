import { problemText } from '../core/api/client.ts'
import { useT } from '../core/i18n/i18n.tsx'

/** An error, announced to screen readers. Renders nothing without one. */
export function ErrorText({ error, text }: { error?: unknown; text?: string | undefined }) {
  const t = useT()
  const shown = error ? problemText(error, t) : text
  return shown ? (
    <p className="problem" role="alert">
      {shown}
    </p>
  ) : null
}
