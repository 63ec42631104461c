import { useMemo } from 'react'
import { useI18n } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import type { MarkdownProps } from '../../core/stores/markdown-loader.ts'
import { ChatLink } from './chat-link.tsx'
import { Mention, mentionText } from './mention.tsx'
import { toPlainText } from './plain-text.ts'
import { type ElementRenderers, renderMarkdown, type SpecialToken } from './render-markdown.ts'
import { Spoiler } from './spoiler.tsx'
import { Timestamp, timestampText } from './timestamp.tsx'

const renderers: ElementRenderers = {
  link: (href, text, children) => (
    <ChatLink href={href} text={text}>
      {children}
    </ChatLink>
  ),
  token: token => <TokenElement token={token} />,
  spoiler: (children, isBlock) => <Spoiler isBlock={isBlock}>{children}</Spoiler>,
}

export function Markdown({ text, everyone }: MarkdownProps) {
  return useMemo(() => renderMarkdown(text, { everyone, renderers }), [text, everyone])
}

/** The text as it is shown, for screen readers (community/announcements). */
export function PlainText({ text, everyone }: MarkdownProps) {
  const context = useChannelContext()
  const { t, dates } = useI18n()
  return toPlainText(text, everyone, token => {
    if (token.kind === 'timestamp') return timestampText(token.value, dates)
    return token.kind === 'everyone' ? token.text : mentionText(token, context, t('chat.unknownUser'))
  })
}

function TokenElement({ token }: { token: SpecialToken }) {
  if (token.kind === 'timestamp') return <Timestamp value={token.value} />
  if (token.kind === 'everyone') return <span className="mention">{token.text}</span>
  return <Mention kind={token.kind} id={token.id} />
}
