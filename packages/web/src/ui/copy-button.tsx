import { useState } from 'react'
import { useT } from '../core/i18n/i18n.tsx'
import { copyText } from './copy-text.ts'

/** A button that copies a text which is not shown. */
export function CopyButton({ label, value }: { label: string; value: string }) {
  const t = useT()
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="button secondary small"
      onClick={() => void copyText(value).then(setCopied)}
      onBlur={() => setCopied(false)}
    >
      <span aria-live="polite">{copied ? t('action.copied') : label}</span>
    </button>
  )
}
