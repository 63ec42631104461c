import { useRef } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { useFocusLeft } from './composer-focus.ts'

/** To the newest message. `unseen`: so many have come below what one reads. */
export function JumpButton({ unseen, onJump }: { unseen: number; onJump(): void }) {
  const t = useT()
  const button = useRef<HTMLButtonElement>(null)
  useFocusLeft(button)
  return (
    <button ref={button} type="button" className="jump" onClick={onJump}>
      <Icon name="down" />
      {unseen > 0 ? t('chat.newMessages', { count: unseen }) : t('chat.jump')}
    </button>
  )
}
