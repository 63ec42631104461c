import type { Role } from '@gatehouse/protocol/servers'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { CheckField } from '../../ui/check-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { RoleChecks } from './role-checks.tsx'
import { claimPath, type Draft, groupPath } from './server-binding-draft.ts'

interface GroupFieldsProps {
  draft: Draft
  /** The groups that are saved for the server. */
  saved: Draft['groups']
  roles: readonly Role[]
  onChange(edited: Partial<Draft>): void
  /** By the path of the error in the request. */
  problems: Readonly<Record<string, string | undefined>>
}

/** The roles that the scope `groups` sends, each with its group (sign-in/groups). */
export function GroupFields({ draft, saved, roles, onChange, problems }: GroupFieldsProps) {
  const t = useSettingsT()
  const { groups, groupsClaim, addGroups } = draft
  const selected = groups.map(({ roleId }) => roleId)
  function toggle(roleId: string) {
    const others = groups.filter(group => group.roleId !== roleId)
    const value = saved.find(group => group.roleId === roleId)?.value ?? ''
    onChange({ groups: selected.includes(roleId) ? others : [...groups, { roleId, value }] })
  }
  return (
    <Panel title={t('binding.groups')} hint={t('binding.groupsHint')}>
      <RoleChecks
        label={t('binding.sentRoles')}
        roles={roles}
        saved={saved.map(({ roleId }) => roleId)}
        selected={selected}
        onToggle={toggle}
      />
      {groups.map(({ roleId, value }, index) => {
        const name = roles.find(({ id }) => id === roleId)?.name
        return (
          name !== undefined && (
            <Field
              key={roleId}
              label={t('binding.group', { name })}
              value={value}
              onChange={edited => onChange({ groups: groups.with(index, { roleId, value: edited }) })}
              spellCheck={false}
              placeholder={t('binding.groupFromName')}
              problem={problems[groupPath(index)] && t('binding.groupProblem')}
            />
          )
        )
      })}
      {groups.length > 0 && (
        <>
          <Field
            label={t('binding.groupsClaim')}
            hint={t('binding.groupsClaimHint')}
            value={groupsClaim}
            onChange={edited => onChange({ groupsClaim: edited })}
            spellCheck={false}
            placeholder="roles"
            problem={problems[claimPath] && t('binding.groupsClaimProblem')}
          />
          <CheckField
            label={t('binding.addGroups')}
            hint={t('binding.addGroupsHint')}
            checked={addGroups}
            onChange={edited => onChange({ addGroups: edited })}
          />
        </>
      )}
    </Panel>
  )
}
