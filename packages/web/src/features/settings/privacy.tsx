import type { Block, DirectMessageSetting } from '@gatehouse/protocol/users'
import { keys } from '../../core/api/keys.ts'
import { useBlocks, useSelf } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useSettingsI18n, useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { UserName, userText } from '../../ui/user-name.tsx'
import { useBlockAction } from '../servers/index.ts'

/** Who may write to the user first, and whom the user blocks. */
export function Privacy() {
  return (
    <>
      <FirstContact />
      <Blocks />
    </>
  )
}

function FirstContact() {
  const t = useSettingsT()
  const { api, queries } = useClient()
  const { directMessages = 'members' } = useSelf()
  const { problem, submit } = useSubmit()
  const save = (setting: DirectMessageSetting) =>
    void submit(async () => {
      const body = { directMessages: setting }
      queries.setQueryData(keys.self, await api.call('updateCurrentUser', { body }))
    })
  return (
    <Panel hint={t('settings.firstContactHint')}>
      <SelectField
        label={t('settings.firstContact')}
        value={directMessages}
        options={[
          { value: 'members', text: t('settings.firstContact.members') },
          { value: 'nobody', text: t('settings.firstContact.nobody') },
        ]}
        onChange={value => save(value === 'nobody' ? value : 'members')}
      />
      <ErrorText text={problem} />
    </Panel>
  )
}

function Blocks() {
  const t = useSettingsT()
  const { data: blocks, error } = useBlocks()
  return (
    <Panel title={t('block.list')} hint={t('block.hint')}>
      <ErrorText error={error} />
      {blocks?.length === 0 && (
        <EmptyState icon="people" title={t('block.none')} text={t('block.noneHint')} />
      )}
      {!blocks && !error && <span className="skeleton skeleton-row" />}
      <ul className="rows">
        {blocks?.map(block => (
          <BlockRow key={block.user.id} block={block} />
        ))}
      </ul>
    </Panel>
  )
}

function BlockRow({ block: { user, createdAt } }: { block: Block }) {
  const { t, dates } = useSettingsI18n()
  const { label, run } = useBlockAction()(user)
  return (
    <li className="row-card">
      <Avatar src={user.avatar} name={user.displayName} size={40} />
      <div className="grow">
        <UserName user={user} /> {user.bot && <span className="badge">{t('chat.bot')}</span>}
        <p className="hint">{t('block.since', { date: dates.day(createdAt) })}</p>
      </div>
      <button
        type="button"
        className="button secondary small"
        aria-label={`${label}: ${userText(user)}`}
        onClick={run}
      >
        {label}
      </button>
    </li>
  )
}
