import type { Application, UpdateApplicationBody } from '@gatehouse/protocol/applications'

/** What the form of the server binding edits. */
export interface Draft {
  /** '' for no server. */
  serverId: string
  membersOnly: boolean
  requiredRoles: readonly string[]
  /** The service makes a value that is '' from the name of the role. */
  groups: readonly { roleId: string; value: string }[]
  /** '' for no second claim. */
  groupsClaim: string
  /** Whether the scope `groups` is added to every request. */
  addGroups: boolean
}

type Settings = Pick<Application, 'server' | 'addedScopes'>

export function toDraft({ server, addedScopes }: Settings): Draft {
  return {
    serverId: server?.id ?? '',
    membersOnly: server?.membersOnly ?? false,
    requiredRoles: server?.requiredRoles ?? [],
    groups: server?.groups ?? [],
    groupsClaim: server?.groupsClaim ?? '',
    addGroups: addedScopes.includes('groups'),
  }
}

/** The changes that save the draft. Without groups, the scope `groups` is not added. */
export function toChanges(draft: Draft, { addedScopes }: Settings): UpdateApplicationBody {
  const { serverId, membersOnly, requiredRoles, groups, groupsClaim, addGroups } = draft
  const otherScopes = addedScopes.filter(scope => scope !== 'groups')
  if (serverId === '') return { server: null, addedScopes: otherScopes }
  return {
    server: {
      id: serverId,
      membersOnly,
      requiredRoles: [...requiredRoles],
      groups: groups.map(({ roleId, value }) =>
        value.trim() ? { roleId, value: value.trim() } : { roleId },
      ),
      groupsClaim: groupsClaim.trim() || null,
    },
    addedScopes: addGroups && groups.length > 0 ? [...otherScopes, 'groups'] : otherScopes,
  }
}

/** Whether two drafts are the same, whatever the order of their roles. */
export function isSameDraft(a: Draft, b: Draft): boolean {
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b))
}

function inOrder({ requiredRoles, groups, ...rest }: Draft): Draft {
  return {
    ...rest,
    requiredRoles: requiredRoles.toSorted(),
    groups: groups.toSorted((a, b) => a.roleId.localeCompare(b.roleId)),
  }
}

/** Paths of field errors in the request. */
export const claimPath = 'server.groupsClaim'
export const groupPath = (index: number) => `server.groups[${index}].value`
