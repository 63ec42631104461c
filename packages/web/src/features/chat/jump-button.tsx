import { useRef } from 'react'
import { useT } from '../../core/i18n/i18n.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useReturnFocus } from './composer-focus.ts'

/** Scrolls to the newest message. `unseen`: the number of messages that arrived below the visible ones. */
export function JumpButton({ unseen, onJump }: { unseen: number; onJump(): void }) {
  const t = useT()
  const button = useRef<HTMLButtonElement>(null)
  useReturnFocus(button)
  return (
    <button ref={button} type="button" className="jump" onClick={onJump}>
      <Icon name="down" />
      {unseen > 0 ? t('chat.newMessages', { count: unseen }) : t('chat.jump')}
    </button>
  )
}
