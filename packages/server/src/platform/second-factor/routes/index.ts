import type { Route } from '../../../http/route.ts'
import type { Factors } from '../factors.ts'
import { passkeyRoutes } from './passkeys.ts'
import { recoveryCodesRoute } from './recovery-codes.ts'
import { scriptRoute } from './script.ts'
import { secondFactorsRoute } from './second-factors.ts'
import { totpRoutes } from './totp.ts'

export function secondFactorRoutes(deps: { factors: Factors }): Route[] {
  return [
    secondFactorsRoute(deps),
    ...totpRoutes(deps),
    ...passkeyRoutes(deps),
    recoveryCodesRoute(deps),
    scriptRoute(),
  ]
}
