import { InstanceSettings, UpdateInstanceSettingsBody } from '@gatehouse/protocol/administration'
import { requireImage } from '../http/body-parsers.ts'
import { Image } from '../http/media.ts'
import { ok, type Route } from '../http/route.ts'
import type { AdminRoute } from './admin-route.ts'
import type { AdminSettings } from './admin-settings.ts'

export function adminSettingRoutes({
  route,
  adminSettings,
}: {
  route: AdminRoute
  adminSettings: AdminSettings
}): Route[] {
  return [
    route('getInstanceSettings', {
      summary: 'Returns the settings of the instance.',
      responses: { 200: InstanceSettings },
      errors: ['not_found'],
      handle: async () => ok(await adminSettings.read()),
    }),
    route('updateInstanceSettings', {
      summary: 'Changes who can register and create servers, and the name of the community.',
      body: UpdateInstanceSettingsBody,
      responses: { 200: InstanceSettings },
      errors: ['not_found', 'rate_limited'],
      auditReason: true,
      handle: async ({ caller, body, request }) =>
        ok(await adminSettings.update({ ...caller, ip: request.ip }, body)),
    }),
    route('setInstanceLogo', {
      summary: 'Sets the logo of the community.',
      bodyTypes: ['image'],
      body: Image,
      responses: { 200: InstanceSettings },
      errors: ['not_found', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, body }) => ok(await adminSettings.setLogo(caller, requireImage(body))),
    }),
    route('deleteInstanceLogo', {
      summary: 'Deletes the logo of the community.',
      responses: { 200: InstanceSettings },
      errors: ['not_found'],
      auditReason: true,
      handle: async ({ caller }) => ok(await adminSettings.deleteLogo(caller)),
    }),
  ]
}
