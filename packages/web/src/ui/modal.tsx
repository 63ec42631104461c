import type { ReactNode } from 'react'
import { Dialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'

export interface ModalDialogProps {
  title: string
  /** `alertdialog` confirms an action. */
  role?: 'dialog' | 'alertdialog'
  /** Whether a press outside closes it. */
  isDismissable?: boolean
  onClose(): void
  children: ReactNode
}

/** A modal dialog. Import it from lazy components only, because of the size of its dependencies. */
export function ModalDialog({
  title,
  role = 'dialog',
  isDismissable = true,
  onClose,
  children,
}: ModalDialogProps) {
  return (
    <ModalOverlay
      className="modal-backdrop"
      isOpen
      isDismissable={isDismissable}
      onOpenChange={open => open || onClose()}
    >
      <Modal className="modal">
        <Dialog className="dialog" role={role}>
          <Heading slot="title" className="dialog-title">
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
