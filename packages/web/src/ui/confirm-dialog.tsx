import { type ReactNode, useState } from 'react'
import { problemText } from '../core/api/client.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { ErrorText } from './error-text.tsx'
import { ModalDialog } from './modal.tsx'

export interface Confirmation {
  title: string
  text: string
  /** The text of the button; the title by default. */
  action?: string
  /** The object of the action, shown below the text. */
  preview?: ReactNode
  /** The action does not destroy anything, so its button is not red. */
  isHarmless?: boolean
  run(): Promise<unknown>
}

/** Focuses the button that confirms, so that Enter confirms and Escape cancels. */
function focusButton(button: HTMLButtonElement | null) {
  button?.focus()
}

interface ConfirmDialogProps extends Confirmation {
  onClose(): void
}

export function ConfirmDialog({
  title,
  text,
  action = title,
  preview,
  isHarmless,
  run,
  onClose,
}: ConfirmDialogProps) {
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
      <ErrorText text={problem} />
      <div className="line end">
        <button type="button" className="button plain" onClick={onClose}>
          {t('action.cancel')}
        </button>
        <button
          ref={focusButton}
          type="button"
          className={isHarmless ? 'button' : 'button danger'}
          disabled={busy}
          onClick={() => void confirm()}
        >
          {action}
        </button>
      </div>
    </ModalDialog>
  )
}
