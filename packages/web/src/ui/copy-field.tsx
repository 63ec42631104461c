import { useId, useRef, useState } from 'react'
import { useT } from '../core/i18n/i18n.tsx'
import { Icon } from './icon.tsx'

interface CopyFieldProps {
  label: string
  value: string
  hint?: string
  /** Masked until the field has the focus. */
  secret?: boolean
}

/** A read-only text with a button that copies it. */
export function CopyField({ label, value, hint, secret = false }: CopyFieldProps) {
  const t = useT()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState(false)
  const [revealed, setRevealed] = useState(false)
  async function copy() {
    const done = await copyText(value)
    if (!done) {
      setRevealed(true)
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
          type={secret && !revealed ? 'password' : 'text'}
          autoComplete="off"
          spellCheck={false}
          onFocus={event => {
            setRevealed(true)
            event.target.select()
          }}
          onBlur={() => setRevealed(false)}
        />
        <button
          type="button"
          className="button secondary"
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

/** Returns false if the browser permits no access to the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The clipboard API needs a secure context. A `copy` event also exists with plain HTTP.
    return copyWithEvent(text)
  }
}

function copyWithEvent(text: string): boolean {
  let isCopied = false
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isCopied = true
  }
  document.addEventListener('copy', onCopy)
  document.execCommand('copy')
  document.removeEventListener('copy', onCopy)
  return isCopied
}
