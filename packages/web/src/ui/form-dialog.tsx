import type { ReactNode } from 'react'
import { useT } from '../core/i18n/i18n.tsx'
import { ErrorText } from './error-text.tsx'
import { ModalDialog, type ModalDialogProps } from './modal.tsx'
import type { Submission } from './use-submit.ts'

interface FormDialogProps extends Pick<ModalDialogProps, 'title' | 'role' | 'isUnsaved' | 'onClose'> {
  form: Submission
  /** The text of the submit button. */
  action: string
  /** The action destroys something, so its button is red. */
  isDanger?: boolean
  /** Whether the required fields have a value. */
  isComplete?: boolean
  /** Whether the cancel button is enabled. */
  isCancellable?: boolean
  onSubmit(): Promise<unknown>
  children: ReactNode
}

/** Focuses the submit button, so that Enter confirms and Escape cancels. */
function focusButton(button: HTMLButtonElement | null) {
  button?.focus()
}

/** A modal dialog that sends one request. Import it from lazy components only, like `ModalDialog`. */
export function FormDialog({
  form: { busy, saved, problem, submit },
  isUnsaved,
  action,
  isDanger,
  isComplete = true,
  isCancellable = true,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const t = useT()
  return (
    <ModalDialog {...dialog} isUnsaved={saved ? false : isUnsaved}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          void submit(onSubmit)
        }}
      >
        {children}
        <ErrorText text={problem} />
        <div className="line end">
          <button type="button" className="button plain" disabled={!isCancellable} onClick={dialog.onClose}>
            {t('action.cancel')}
          </button>
          <button
            ref={dialog.role === 'alertdialog' ? focusButton : null}
            type="submit"
            className={isDanger ? 'button danger' : 'button'}
            disabled={busy || !isComplete}
          >
            {action}
          </button>
        </div>
      </form>
    </ModalDialog>
  )
}
