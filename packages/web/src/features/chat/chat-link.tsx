import { Suspense } from 'react'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { ExternalLink, type ExternalLinkProps } from './external-link.tsx'

const DiscordLink = lazyComponent(async () => (await import('./discord-link.tsx')).DiscordLink)

/** A link of a message. Bots that were written for Discord build links to it from constants (discord/links). */
export function ChatLink(props: ExternalLinkProps) {
  const external = <ExternalLink {...props} />
  if (!/^https:\/\/(?:[a-z]+\.)?discord\.(?:com|gg)\//.test(props.href)) return external
  return (
    <Suspense fallback={external}>
      <DiscordLink {...props} />
    </Suspense>
  )
}
