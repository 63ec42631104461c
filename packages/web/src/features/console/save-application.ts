import type { Application } from '@gatehouse/protocol/applications'
import { useQueryClient } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'

/** Returns a function that saves changes of the application, updates the cache and returns the application. */
export function useSaveApplication(application: Application) {
  const { api } = useClient()
  const queries = useQueryClient()
  return async (changes: object) => {
    const saved = await api.call('updateApplication', { id: application.id, body: changes })
    queries.setQueryData(keys.application(application.id), saved)
    await queries.invalidateQueries({ queryKey: keys.applications, exact: true })
    return saved
  }
}
