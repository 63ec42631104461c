import { useMemo } from 'react'
import { ExternalLink } from './external-link.tsx'
import { endBlocks } from './markdown-lines.ts'
import { drawMarkdown, type Mark, type Parts } from './markdown-rules.ts'
import { Mention } from './mention.tsx'
import { Moment } from './moment.tsx'

const parts: Parts = {
  link: (href, children) => <ExternalLink href={href}>{children}</ExternalLink>,
  mark: mark => <Marked mark={mark} />,
}

export function Markdown({ text, everyone }: { text: string; everyone: boolean }) {
  return useMemo(() => drawMarkdown(endBlocks(text), { everyone, parts }), [text, everyone])
}

function Marked({ mark }: { mark: Mark }) {
  if (mark.kind === 'moment') return <Moment moment={mark.moment} />
  if (mark.kind === 'everyone') return <span className="mention">{mark.text}</span>
  return <Mention kind={mark.kind} id={mark.id} />
}
