import type { ReactNode } from 'react'
import { Dialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'

interface ModalDialogProps {
  title: string
  /** `alertdialog` asks before something is lost. */
  role?: 'dialog' | 'alertdialog'
  onClose(): void
  children: ReactNode
}

/** A dialog over the page; focus stays inside and returns to where it was. Import it from lazy parts only. */
export function ModalDialog({ title, role = 'dialog', onClose, children }: ModalDialogProps) {
  return (
    <ModalOverlay className="scrim" isOpen isDismissable onOpenChange={open => open || onClose()}>
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
