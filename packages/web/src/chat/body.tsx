import { memo, Suspense, useRef, useState } from 'react'
import { useT } from '../i18n/i18n.tsx'
import { lazyPart } from '../ui/lazy-part.ts'
import { useChannel } from './channel-context.ts'
import { hasMarkdown, type Token, tokenize } from './tokens.ts'

const Markdown = lazyPart(() => import('./markdown.tsx').then(part => part.Markdown))
const MemberCard = lazyPart(() => import('../servers/member-card.tsx').then(part => part.MemberCard))

interface BodyProps {
  text: string
  /** Whether `@everyone` in it notified everyone. */
  everyone: boolean
}

/** A text as it was meant. The Markdown parser comes only when there is Markdown; till then the text stands as it is. */
export const Body = memo(function Body({ text, everyone }: BodyProps) {
  if (text === '') return null
  const plain = (
    <p>
      <Tokens tokens={tokenize(text, everyone)} />
    </p>
  )
  return (
    <div className={isOnlyEmoji(text) ? 'body large' : 'body'}>
      {hasMarkdown(text) ? (
        <Suspense fallback={plain}>
          <Markdown text={text} everyone={everyone} />
        </Suspense>
      ) : (
        plain
      )}
    </div>
  )
})

function isOnlyEmoji(text: string): boolean {
  return text.length <= 40 && /^(?:\p{RGI_Emoji}\s*){1,8}$/v.test(text)
}

export function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, index) => {
    const key = `${index}${token.kind}`
    switch (token.kind) {
      case 'text':
        return token.text
      case 'break':
        return <br key={key} />
      case 'link':
        return <ExternalLink key={key} href={token.href} />
      case 'everyone':
        return (
          <span key={key} className="mention">
            {token.text}
          </span>
        )
      default:
        return <Mention key={key} kind={token.kind} id={token.id} />
    }
  })
}

interface ExternalLinkProps {
  href: string
  children?: React.ReactNode
  className?: string
}

/** A link that a stranger wrote: the page behind it learns nothing of this one. */
export function ExternalLink({ href, children, className }: ExternalLinkProps) {
  return (
    <a className={className} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children ?? href}
    </a>
  )
}

export function Mention({ kind, id }: { kind: 'user' | 'role' | 'channel'; id: string }) {
  const t = useT()
  const { nameOf, roles, channels, channel, self } = useChannel()
  if (kind === 'user')
    return <UserMention id={id} name={nameOf(id) ?? t('chat.unknownUser')} self={id === self.id} />
  if (kind === 'role') {
    const role = roles.find(other => other.id === id)
    const name = id === channel.serverId ? 'everyone' : (role?.name ?? t('chat.unknownUser'))
    return <span className="mention">@{name.replace(/^@/, '')}</span>
  }
  const other = channels.find(({ id: known }) => known === id)
  return other ? (
    <a className="mention" href={`/channels/${other.serverId}/${other.id}`}>
      #{other.name}
    </a>
  ) : (
    <span className="mention">#{t('chat.unknownUser')}</span>
  )
}

function UserMention({ id, name, self }: { id: string; name: string; self: boolean }) {
  const { member, channel } = useChannel()
  const user = member(id)?.user
  const [open, setOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const className = self ? 'mention self' : 'mention'
  if (!user) return <span className={className}>@{name}</span>
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        @{name}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MemberCard
            user={user}
            serverId={channel.serverId}
            trigger={trigger}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
