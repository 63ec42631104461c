import type { Route } from '../../../http/route.ts'
import type { Channels, DirectMessages, Overwrites } from '../index.ts'
import { channelRoute } from './channel.ts'
import { channelsRoute } from './channels.ts'
import { myChannelsRoute } from './my-channels.ts'
import { overwriteRoute } from './overwrite.ts'

export function channelRoutes(deps: {
  channels: Channels
  overwrites: Overwrites
  directMessages: DirectMessages
}): Route[] {
  return [...channelsRoute(deps), ...channelRoute(deps), ...overwriteRoute(deps), ...myChannelsRoute(deps)]
}
