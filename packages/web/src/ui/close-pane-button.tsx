import { useT } from '../core/i18n/i18n.tsx'
import { Icon } from './icon.tsx'

/** Closes a pane that covers the messages. */
export function ClosePaneButton({ onClose }: { onClose(): void }) {
  const t = useT()
  return (
    <button
      type="button"
      className="icon-button pane-close"
      aria-label={t('action.close')}
      title={t('action.close')}
      onClick={onClose}
    >
      <Icon name="close" />
    </button>
  )
}
