import { type CSSProperties, useState } from 'react'
import { initials } from './initials.ts'

interface AvatarProps {
  /** A path of the service. */
  src: string | null | undefined
  name: string
  /** In pixels. */
  size: number
}

/** Without an image, shows the initials. It is always beside the name, so it has no alternative text. */
export function Avatar({ src, name, size }: AvatarProps) {
  const [broken, setBroken] = useState<string>()
  const style = { '--size': `${size}px` } as CSSProperties
  if (src && src !== broken) {
    return (
      <img
        className="avatar"
        style={style}
        src={src}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        onError={() => setBroken(src)}
      />
    )
  }
  return (
    <span className="avatar" style={{ ...style, background: `hsl(${hue(name)} 45% 45%)` }} aria-hidden="true">
      {initials(name)}
    </span>
  )
}

function hue(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 360
  return sum
}
