import type { ReactNode } from 'react'
import { FormDialog } from './form-dialog.tsx'
import { useSubmit } from './use-submit.ts'

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
  const form = useSubmit()
  async function confirm() {
    await run()
    onClose()
  }
  return (
    <FormDialog
      title={title}
      role="alertdialog"
      form={form}
      action={action}
      isDanger={!isHarmless}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>{text}</p>
      {preview}
    </FormDialog>
  )
}
