import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { useT } from '../../core/i18n/i18n.tsx'
import { useTabIndex } from '../../ui/roving-focus.ts'

/** Hides its children, also from screen readers, until the user presses it. It keeps the focus. */
export function Spoiler({ isBlock, children }: { isBlock: boolean; children: ReactNode }) {
  const t = useT()
  const tabIndex = useTabIndex()
  const [shown, setShown] = useState(false)
  const Tag = isBlock ? 'div' : 'span'
  const cover = {
    role: 'button',
    tabIndex: tabIndex ?? 0,
    'aria-label': t('chat.spoiler'),
    title: t('chat.spoiler'),
    onClick: () => setShown(true),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      setShown(true)
    },
  }
  return (
    <Tag className={shown ? 'spoiler shown' : 'spoiler'} {...(shown ? { tabIndex: -1 } : cover)}>
      <Tag className="spoiler-text" inert={!shown} aria-hidden={!shown}>
        {children}
      </Tag>
    </Tag>
  )
}
