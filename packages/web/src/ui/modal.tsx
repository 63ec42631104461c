import { type ReactNode, useState } from 'react'
import { Dialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useMarkIn, useUnsavedForms } from './unsaved.ts'

export interface ModalDialogProps {
  title: string
  /** `alertdialog` confirms an action. */
  role?: 'dialog' | 'alertdialog'
  /** Whether a press outside closes it. */
  isDismissable?: boolean
  /** Whether closing it would lose input. By default, after the user has entered something. */
  isUnsaved?: boolean | undefined
  onClose(): void
  children: ReactNode
}

/**
 * A modal dialog. Import it from lazy components only, because of the size of its dependencies. Escape, a press outside
 * and the back button need a confirmation if they would lose input. A button in the dialog closes it at once.
 */
export function ModalDialog({
  title,
  role = 'dialog',
  isDismissable = true,
  isUnsaved,
  onClose,
  children,
}: ModalDialogProps) {
  const [isEdited, setEdited] = useState(false)
  const unsaved = useUnsavedForms({ isModal: true })
  useMarkIn(unsaved, isUnsaved ?? isEdited)
  return (
    <ModalOverlay
      className="modal-backdrop"
      isOpen
      isDismissable={isDismissable}
      onOpenChange={open => open || unsaved.leave(onClose)}
    >
      <Modal className="modal">
        <Dialog className="dialog" role={role}>
          <Heading slot="title" className="dialog-title">
            {title}
          </Heading>
          <div className="dialog-content" onInput={() => setEdited(true)}>
            {children}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
