// The developer console: applications, their bots, commands and OAuth clients.
import { lazyPage } from '../../ui/lazy-component.tsx'

export const Console = lazyPage(() => import('./console.tsx').then(part => part.Console))
