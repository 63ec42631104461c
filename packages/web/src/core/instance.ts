/** What the page has of the settings of the instance, for which the client sends no request (`http/web-client.ts`). */
export function shownInstance(): { name: string; onlyAdministratorsCreateServers: boolean } {
  const { name = 'Gatehouse', serverCreation } = document.documentElement.dataset
  return { name, onlyAdministratorsCreateServers: serverCreation === 'administrators' }
}

/** After the administrator has changed them. */
export function showInstance({ name, serverCreation }: { name: string; serverCreation: string }): void {
  Object.assign(document.documentElement.dataset, { name, serverCreation })
}
