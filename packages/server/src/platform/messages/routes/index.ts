import type { Route } from '../../../http/route.ts'
import type { Conversation } from '../index.ts'
import { messageRoute } from './message.ts'
import { messagesRoute } from './messages.ts'

export function messageRoutes(deps: { conversation: Conversation }): Route[] {
  return [...messagesRoute(deps), ...messageRoute(deps)]
}
