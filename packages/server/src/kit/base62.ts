export const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `value` is an integer from 0 to 2^53 - 1. Pads with zeros on the left to `width` characters. */
export function toBase62(value: number, width: number): string {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = base62Digits.charAt(rest % 62) + text
  return text.padStart(width, '0')
}
