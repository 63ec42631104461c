import type { FaultContext } from './fault.ts'
import { createTarget, type Target } from './target.ts'

/** Where a node runs, if not on the loopback address. */
interface Place {
  host?: string
  wrapper?: readonly string[]
}

/** Starts nodes of one service, one at each place. They share the fixture of the first. */
export async function startNodes(
  context: FaultContext,
  env: Readonly<Record<string, string>>,
  places: readonly Place[],
): Promise<Target[]> {
  const shared = { ...env, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  context.secrets.add(shared.SECRET_KEY)
  const targets: Target[] = []
  for (const place of places) {
    const baseUrl = targets[0] && { BASE_URL: targets[0].service.url }
    const service = await context.startService({ ...place, env: { ...shared, ...baseUrl } })
    targets.push(await createTarget(context, service, targets[0]))
  }
  return targets
}
