// The page for administrators of the instance.
import { lazyPage } from '../../ui/lazy-component.tsx'

export const Administration = lazyPage(() => import('./administration.tsx').then(part => part.Administration))
