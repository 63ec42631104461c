// The page of a channel: its messages, and the composer.
export { ChannelPage } from './channel-page.tsx'
export { MessageRow } from './message-row.tsx'
export { MessagePlaceholders } from './messages-skeleton.tsx'

/** Loads the Markdown renderer, which has its own chunk because of the size of its parser. */
export const loadMarkdown = () => import('./markdown.tsx')
