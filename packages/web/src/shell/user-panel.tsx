import type { SelfUser } from '@gatehouse/protocol/users'
import { useNavigate } from 'react-router'
import { problemText } from '../core/api/client.ts'
import { useClient } from '../core/client-context.ts'
import { useT } from '../core/i18n/i18n.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { LazyMenu } from '../ui/lazy-menu.tsx'
import { useConfirm } from '../ui/use-confirm.ts'

/** The signed-in user, with the menu for settings and sign-out. */
export function UserPanel({ self }: { self: SelfUser }) {
  const t = useT()
  const client = useClient()
  const navigate = useNavigate()
  const confirm = useConfirm()
  function signOut() {
    client.signOut().catch((error: unknown) =>
      confirm({
        title: t('nav.signOut'),
        text: problemText(error, t),
        action: t('app.retry'),
        isHarmless: true,
        run: client.signOut,
      }),
    )
  }
  return (
    <section className="user-panel" aria-label={t('nav.account')}>
      <Avatar src={self.avatar} name={self.displayName} size={34} />
      <span className="grow user-panel-name">
        <strong className="ellipsis">{self.displayName}</strong>
        <small className="ellipsis">{self.username}</small>
      </span>
      <LazyMenu
        label={t('nav.account')}
        className="icon-button"
        entries={[
          {
            id: 'settings',
            label: t('nav.settings'),
            icon: 'settings',
            run: () => void navigate('/settings'),
          },
          {
            id: 'developers',
            label: t('nav.developers'),
            icon: 'code',
            run: () => void navigate('/developers'),
          },
          ...(self.administrator
            ? [
                {
                  id: 'administration',
                  label: t('nav.administration'),
                  icon: 'people' as const,
                  run: () => void navigate('/administration'),
                },
              ]
            : []),
          {
            id: 'out',
            label: t('nav.signOut'),
            icon: 'exit',
            danger: true,
            run: signOut,
          },
        ]}
      >
        <Icon name="settings" />
      </LazyMenu>
    </section>
  )
}
