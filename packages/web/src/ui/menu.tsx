import type { RefObject } from 'react'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Icon, type IconName } from './icon.tsx'

export interface MenuEntry {
  id: string
  label: string
  icon: IconName
  /** A second text, in a quiet colour. */
  detail?: string
  danger?: boolean
  disabled?: boolean
  run(): void
}

interface MenuPopoverProps {
  label: string
  entries: readonly MenuEntry[]
  trigger: RefObject<HTMLElement | null>
  onClose(): void
}

/** The open menu. It has its own chunk, which lazy-menu.tsx loads. */
export function MenuPopover({ label, entries, trigger, onClose }: MenuPopoverProps) {
  return (
    <Popover
      aria-label={label}
      triggerRef={trigger}
      isOpen
      onOpenChange={open => open || onClose()}
      placement="bottom end"
    >
      <Menu
        className="menu"
        aria-label={label}
        autoFocus="first"
        onClose={onClose}
        onAction={key => entries.find(({ id }) => id === key)?.run()}
      >
        {entries.map(({ id, label: text, detail, icon, danger, disabled = false }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={text}
            isDisabled={disabled}
            className={danger ? 'menu-item danger' : 'menu-item'}
          >
            <Icon name={icon} />
            {text}
            {detail !== undefined && <span className="menu-item-detail ellipsis">{detail}</span>}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  )
}
