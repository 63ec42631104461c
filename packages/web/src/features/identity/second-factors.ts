import { useQuery } from '@tanstack/react-query'
import { keys } from '../../core/api/keys.ts'
import { useClient } from '../../core/client-context.ts'

export function useSecondFactors() {
  const { api } = useClient()
  return useQuery({
    queryKey: keys.secondFactors,
    queryFn: ({ signal }) => api.call('listSecondFactors', { signal }),
  })
}
