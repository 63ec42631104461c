import { useT } from '../core/i18n/i18n.tsx'
import { IconButton } from './icon-button.tsx'

/** Closes a pane that covers the messages. */
export function ClosePaneButton({ onClose }: { onClose(): void }) {
  const t = useT()
  return (
    <IconButton icon="close" label={t('action.close')} className="icon-button pane-close" onClick={onClose} />
  )
}
