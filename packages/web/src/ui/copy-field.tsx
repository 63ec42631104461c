import { useId, useRef, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from './icon.tsx'

interface CopyFieldProps {
  label: string
  value: string
  hint?: string
  /** Shown as dots until it is focused: for what bystanders should not read. */
  secret?: boolean
}

/** A text to take elsewhere. */
export function CopyField({ label, value, hint, secret = false }: CopyFieldProps) {
  const t = useT()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState(false)
  const [seen, setSeen] = useState(false)
  async function copy() {
    const done = await copyText(value)
    if (!done) {
      setSeen(true)
      input.current?.select()
    }
    setCopied(done)
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="line copy-line">
        <input
          ref={input}
          id={id}
          className="input grow"
          readOnly
          value={value}
          type={secret && !seen ? 'password' : 'text'}
          autoComplete="off"
          spellCheck={false}
          onFocus={event => {
            setSeen(true)
            event.target.select()
          }}
          onBlur={() => setSeen(false)}
        />
        <button
          type="button"
          className="button soft"
          onClick={() => void copy()}
          onBlur={() => setCopied(false)}
        >
          <Icon name="copy" />
          <span aria-live="polite">{copied ? t('action.copied') : t('action.copy')}</span>
        </button>
      </div>
      {hint && <p className="hint">{hint}</p>}
    </div>
  )
}

/** False where the browser offers no clipboard, as on pages that came by plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
