import type { TranslatedMembers } from '@gatehouse/protocol/component-members'
import type { Component, Row } from '@gatehouse/protocol/components'

// The ids that a bot gave to the components of a message in Discord's API. They are stored in the components, and our
// own events do not have them.

/** Of each row, and then of each component in it; 0 for one without. Undefined if none has one. */
export function listComponentIds(rows: readonly Row[]): number[] | undefined {
  const ids = rows.flatMap(row => [idOf(row), ...row.components.map(idOf)])
  return ids.some(id => id > 0) ? ids : undefined
}

function idOf({ id = 0 }: (Row | Component) & TranslatedMembers): number {
  return id
}

export function withoutComponentIds(rows: readonly Row[]): Row[] {
  return rows.map(({ id: _, ...row }: Row & TranslatedMembers) => ({
    ...row,
    components: row.components.map(({ id: __, ...component }: Component & TranslatedMembers) => component),
  }))
}

/** `ids` are those of `listComponentIds`. */
export function withComponentIds(rows: readonly Row[], ids: readonly number[] = []): Row[] {
  let next = 0
  function give<Given extends Row | Component>(given: Given): Given {
    const id = ids[next++] ?? 0
    return id === 0 ? given : { ...given, id }
  }
  return rows.map(row => ({ ...give(row), components: row.components.map(give) }))
}
