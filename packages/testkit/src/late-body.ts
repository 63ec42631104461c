import type { TestClient, TestResponse } from './service.ts'

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
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  // A variable, because the type of the browser's `fetch` does not have `duplex`, which Node.js requires.
  const init = {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: readable,
    duplex: 'half' as const,
  }
  const response = client.send(path, init)
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  await writer.write(bytes.subarray(0, 1))
  // Each waits for the database, so that the service has checked the credential of the request before.
  for (let turn = 0; turn < 3; turn++) await client.get('/readyz')
  await meanwhile()
  await writer.write(bytes.subarray(1))
  await writer.close()
  return response
}
