import type { Application, BindingState } from '@gatehouse/protocol/applications'
import { permissionFor } from '@gatehouse/protocol/permissions'
import { useState } from 'react'
import { ApiError, problemText } from '../../core/api/client.ts'
import { useRoles, useServers } from '../../core/api/queries.ts'
import type { SettingsTranslate } from '../../core/i18n/settings-i18n.tsx'
import { useSettingsT } from '../../core/i18n/settings-i18n.tsx'
import { hasServerPermission } from '../../core/servers/permissions.ts'
import { CheckField } from '../../ui/check-field.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { SettingsForm } from '../../ui/settings-form.tsx'
import { Panel } from '../../ui/settings-page.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { GroupFields } from './group-fields.tsx'
import { RoleChecks } from './role-checks.tsx'
import { useSaveApplication } from './save-application.ts'
import { claimPath, type Draft, groupPath, isSameDraft, toChanges, toDraft } from './server-binding-draft.ts'

/**
 * The server whose members may sign in, and whose roles are sent as groups. One form for both, because a request
 * replaces the whole binding (sign-in/server-binding).
 */
export function ServerBinding({ application }: { application: Application }) {
  const t = useSettingsT()
  const save = useSaveApplication(application)
  const servers = useServers()
  const saved = toDraft(application)
  const [edited, setEdited] = useState<Draft>()
  const draft = edited ?? saved
  const paths = [claimPath, ...draft.groups.map((_, index) => groupPath(index))]
  const bounds = Object.fromEntries(paths.map(path => [path, {}]))
  const form = useSubmit<string>(bounds, problem => describeError(problem, t))
  const managed = servers.filter(server => hasServerPermission(server, permissionFor.changeServer))
  const isManaged = managed.some(({ id }) => id === draft.serverId)
  // What is saved, as the service sees it: the owner of the server may have kept or ended it.
  const state =
    draft.serverId === saved.serverId && edited === undefined ? application.server?.state : undefined
  const isLost = draft.serverId !== '' && (state === 'ended' || (!isManaged && state !== 'kept'))
  const { data: roles, error } = useRoles(isManaged ? draft.serverId : null)
  // What is saved for another server does not matter.
  const { requiredRoles, groups } = draft.serverId === saved.serverId ? saved : noRoles

  const nameOf = (serverId: string) => servers.find(({ id }) => id === serverId)?.name
  const lostIds = [...new Set([saved.serverId, draft.serverId])].filter(
    serverId => serverId !== '' && !managed.some(({ id }) => id === serverId),
  )
  const options = [
    { value: '', text: t('binding.noServer') },
    ...managed.map(({ id, name }) => ({ value: id, text: name })),
    ...lostIds.map(id => ({ value: id, text: nameOf(id) ?? t('binding.unknownServer', { id }) })),
  ]

  const change = (changes: Partial<Draft>) => setEdited({ ...draft, ...changes })
  const selectServer = (serverId: string) =>
    setEdited(serverId === saved.serverId ? undefined : { ...draft, ...noRoles, serverId })
  const toggleRequired = (roleId: string) => {
    const others = draft.requiredRoles.filter(id => id !== roleId)
    change({ requiredRoles: draft.requiredRoles.includes(roleId) ? others : [...others, roleId] })
  }
  async function onSave() {
    await save(toChanges(draft, application))
    // What the user has entered since then remains.
    setEdited(current => (current === edited ? undefined : current))
  }

  return (
    <SettingsForm form={form} dirty={!isSameDraft(draft, saved)} onSave={onSave}>
      <Panel title={t('binding.title')} hint={t('binding.hint')}>
        <SelectField
          label={t('binding.server')}
          value={draft.serverId}
          options={options}
          onChange={selectServer}
        />
        {isLost && <p className="problem">{t(lossOf(state, nameOf(draft.serverId)))}</p>}
        {state === 'kept' && <p className="hint">{t('binding.kept')}</p>}
        {isManaged && (
          <CheckField
            label={t('binding.membersOnly')}
            hint={t('binding.membersOnlyHint')}
            checked={draft.membersOnly}
            onChange={membersOnly => change({ membersOnly })}
          />
        )}
        <ErrorText error={error} />
        {roles && (draft.membersOnly || draft.requiredRoles.length + requiredRoles.length > 0) && (
          <RoleChecks
            label={t('binding.requiredRoles')}
            roles={roles}
            saved={requiredRoles}
            selected={draft.requiredRoles}
            onToggle={toggleRequired}
          />
        )}
        <p className="hint" role="status">
          {describeAdmission(draft, isLost, t)}
        </p>
      </Panel>
      {roles && (
        <GroupFields
          draft={draft}
          saved={groups}
          roles={roles}
          problems={form.fieldProblems}
          onChange={change}
        />
      )}
    </SettingsForm>
  )
}

function lossOf(state: BindingState | undefined, name: string | undefined) {
  if (state === 'ended') return 'binding.ended'
  return name === undefined ? 'binding.serverGone' : 'binding.serverNotManaged'
}

const noRoles = { requiredRoles: [], groups: [] }

/** Who may sign in, so that nobody admits more users than intended. */
function describeAdmission(draft: Draft, isLost: boolean, t: SettingsTranslate): string {
  const { serverId, membersOnly, requiredRoles } = draft
  if (serverId === '' || !membersOnly) return t('binding.everyUser')
  if (isLost) return t('binding.nobody')
  return t(requiredRoles.length === 0 ? 'binding.everyMember' : 'binding.membersWithRole')
}

/** The fields show the errors of the values. The service rejects only deleted roles otherwise. */
function describeError(error: unknown, t: SettingsTranslate): string {
  const isOfRole = error instanceof ApiError && error.fieldErrors.length > 0
  return isOfRole ? t('binding.deselectDeleted') : problemText(error, t)
}
