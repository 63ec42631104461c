import { lazyComponent } from '../../ui/lazy-component.tsx'

export const AcceptOfferDialog = lazyComponent(() =>
  import('./accept-offer-dialog.tsx').then(part => part.AcceptOfferDialog),
)
export const AddServerDialog = lazyComponent(() =>
  import('./add-server-dialog.tsx').then(part => part.AddServerDialog),
)
export const InviteDialog = lazyComponent(() => import('./invite-dialog.tsx').then(part => part.InviteDialog))
export const ReportDialog = lazyComponent(() => import('./report-dialog.tsx').then(part => part.ReportDialog))
