// The settings of the user, of a server and of a channel.
import { lazyComponent, lazyPage } from '../../ui/lazy-component.tsx'

export const ChannelSettings = lazyPage(() =>
  import('./channel-settings.tsx').then(part => part.ChannelSettings),
)
export const InstanceAuditLog = lazyComponent(() =>
  import('./server-audit-log.tsx').then(part => part.InstanceAuditLog),
)
export const ServerSettings = lazyPage(() =>
  import('./server-settings.tsx').then(part => part.ServerSettings),
)
export const UserSettings = lazyPage(() => import('./user-settings.tsx').then(part => part.UserSettings))
