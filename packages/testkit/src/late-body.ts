import type { TestClient, TestResponse } from './service.ts'

/** A request whose body arrives in two parts. */
export interface LateBody {
  response: Promise<TestResponse>
  /** Sends all but the first byte. */
  complete(): Promise<TestResponse>
}

/** Sends the headers of a request and the first byte of its body. */
export async function openLateBody(
  client: TestClient,
  path: string,
  init: { method: string; headers: Readonly<Record<string, string>>; body: string | Uint8Array },
): Promise<LateBody> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  // A variable, because the type of the browser's `fetch` does not have `duplex`, which Node.js requires.
  const request = { ...init, body: readable, duplex: 'half' as const }
  const response = client.send(path, request)
  const bytes = typeof init.body === 'string' ? new TextEncoder().encode(init.body) : init.body
  await writer.write(bytes.subarray(0, 1))
  return {
    response,
    async complete() {
      await writer.write(bytes.subarray(1))
      await writer.close()
      return response
    },
  }
}

/** Sends a JSON request whose body arrives in two parts, and runs `meanwhile` when the service has the first one. */
export async function sendLateBody(
  client: TestClient,
  {
    method,
    path,
    headers = {},
  }: { method: string; path: string; headers?: Readonly<Record<string, string>> },
  body: unknown,
  meanwhile: () => Promise<unknown>,
): Promise<TestResponse> {
  const late = await openLateBody(client, path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  // Each waits for the database, so that the service has checked the credential of the request before.
  for (let turn = 0; turn < 3; turn++) await client.get('/readyz')
  await meanwhile()
  return late.complete()
}
