import { lazyComponent } from '../../ui/lazy-component.tsx'

export const AddServerDialog = lazyComponent(() =>
  import('./add-server-dialog.tsx').then(part => part.AddServerDialog),
)
export const InviteDialog = lazyComponent(() => import('./invite-dialog.tsx').then(part => part.InviteDialog))
export const ReportDialog = lazyComponent(() => import('./report-dialog.tsx').then(part => part.ReportDialog))
