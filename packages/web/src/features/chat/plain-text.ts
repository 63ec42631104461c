import { isValidElement, type ReactNode } from 'react'
import { renderMarkdown, type SpecialToken } from './render-markdown.ts'

/**
 * A text in Markdown as it is shown: without marks, with what `tokenText` returns for mentions and times. Spoilers are
 * hidden.
 */
export function toPlainText(
  text: string,
  everyone: boolean,
  tokenText: (token: SpecialToken) => string,
): string {
  const shown = renderMarkdown(text, {
    everyone,
    renderers: { link: (_href, linkText) => linkText, token: tokenText, spoiler: () => '…' },
  })
  return textOf(shown).trim()
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (!isValidElement<{ children?: ReactNode }>(node)) return ''
  const text = textOf(node.props.children)
  return typeof node.type === 'string' && /^(?:br|p|li|pre)$/.test(node.type) ? `${text}\n` : text
}
