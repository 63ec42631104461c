import { requestLine } from '@gatehouse/protocol/endpoints'
import type { Api } from './client.ts'

export interface FakeRequest {
  method: string
  path: string
  body?: unknown
  signal?: AbortSignal
}

/** An API without a service: `answer` returns the body of the response. */
export function fakeApi(answer: (request: FakeRequest) => Promise<unknown>): Api {
  return {
    async call(id, ...[call]) {
      const { body, signal } = (call ?? {}) as Pick<FakeRequest, 'body' | 'signal'>
      const request = { ...requestLine(id, (call ?? {}) as never), body, ...(signal ? { signal } : {}) }
      return (await answer(request)) as never
    },
  }
}
