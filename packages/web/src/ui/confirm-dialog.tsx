import { FormDialog } from './form-dialog.tsx'
import type { Confirmation } from './use-confirm.ts'
import { useSubmit } from './use-submit.ts'

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
      isUnsaved={false}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>{text}</p>
      {preview}
    </FormDialog>
  )
}
