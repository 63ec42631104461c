import type { ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface IconButtonProps
  extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type' | 'title' | 'children'> {
  icon: IconName
  label: string
}

/** A button without a visible text. The label is its accessible name and its tooltip. */
export function IconButton({ icon, label, className = 'icon-button', ...rest }: IconButtonProps) {
  return (
    <button {...rest} type="button" className={className} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  )
}
