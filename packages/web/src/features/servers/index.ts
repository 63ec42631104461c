// Servers, their channels, members and invites: lists, cards and dialogs.
import { lazyComponent, lazyPage } from '../../ui/lazy-component.tsx'

export { ChannelNav } from './channel-nav.tsx'
export { DirectNav } from './direct-nav.tsx'
export { AcceptOfferDialog, AddServerDialog, InviteDialog, ReportDialog } from './lazy-dialogs.ts'
export { useMemberActions } from './member-actions.tsx'
export { MemberCardButton } from './member-card-button.tsx'
export { MemberList } from './member-list.tsx'
export { MemberRoles } from './member-roles.tsx'
export { ServerRail } from './server-rail.tsx'

export { useBlockAction } from './use-block-action.ts'
export { useConversationEntries } from './use-conversation-entries.tsx'

export const FirstSteps = lazyComponent(() => import('./first-steps.tsx').then(part => part.FirstSteps))
export const InvitePage = lazyPage(() => import('./invite-page.tsx').then(part => part.InvitePage))
