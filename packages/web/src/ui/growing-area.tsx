import { type ComponentProps, type RefObject, useLayoutEffect, useRef } from 'react'

interface GrowingAreaProps extends Omit<ComponentProps<'textarea'>, 'ref'> {
  className: string
  value: string
  ref?: RefObject<HTMLTextAreaElement | null>
}

/** A text area as high as its text. */
export function GrowingArea({ ref, className, ...rest }: GrowingAreaProps) {
  const own = useRef<HTMLTextAreaElement>(null)
  const area = ref ?? own
  useLayoutEffect(() => {
    if (area.current) fitToText(area.current)
  })
  return <textarea {...rest} ref={area} className={`${className} grows`} />
}

/** For browsers that do not know `field-sizing`. */
function fitToText(area: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  const { style } = area
  style.blockSize = 'auto'
  style.blockSize = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`
}
