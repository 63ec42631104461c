import { type ReactNode, useState } from 'react'
import { problemText } from '../api/client.ts'
import { useT } from '../i18n/i18n.tsx'
import { ModalDialog } from './modal.tsx'

export interface Confirmation {
  title: string
  text: string
  action: string
  /** What is about to be lost, shown under the text. */
  preview?: ReactNode
  run(): Promise<unknown>
}

/** Enter confirms, Escape does not. */
function focusAtOnce(button: HTMLButtonElement | null) {
  button?.focus()
}

interface ConfirmDialogProps extends Confirmation {
  onClose(): void
}

export function ConfirmDialog({ title, text, action, preview, run, onClose }: ConfirmDialogProps) {
  const t = useT()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  async function confirm() {
    setBusy(true)
    try {
      await run()
      onClose()
    } catch (error) {
      setProblem(problemText(error, t))
      setBusy(false)
    }
  }
  return (
    <ModalDialog title={title} role="alertdialog" onClose={onClose}>
      <p>{text}</p>
      {preview}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="line end">
        <button type="button" className="button plain" onClick={onClose}>
          {t('action.cancel')}
        </button>
        <button
          ref={focusAtOnce}
          type="button"
          className="button bad"
          disabled={busy}
          onClick={() => void confirm()}
        >
          {action}
        </button>
      </div>
    </ModalDialog>
  )
}
