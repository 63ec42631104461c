import { type ComponentProps, type RefObject, useLayoutEffect, useRef } from 'react'

interface AutosizeTextareaProps extends Omit<ComponentProps<'textarea'>, 'ref'> {
  className: string
  value: string
  ref?: RefObject<HTMLTextAreaElement | null>
}

/** A textarea that is as high as its text. */
export function AutosizeTextarea({ ref, className, ...rest }: AutosizeTextareaProps) {
  const own = useRef<HTMLTextAreaElement>(null)
  const area = ref ?? own
  useLayoutEffect(() => {
    if (area.current) fitToText(area.current)
  })
  return <textarea dir="auto" {...rest} ref={area} className={`${className} autosize`} />
}

/** For browsers without `field-sizing`. */
function fitToText(area: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  const { style } = area
  style.blockSize = 'auto'
  style.blockSize = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`
}
