import { type InstanceSettings as Body, UpdateInstanceSettingsBody } from '@gatehouse/protocol/administration'
import { type Actor, type AuditLog, changesOf } from '../audit/index.ts'
import type { SessionCaller } from '../http/caller.ts'
import { compileValidator } from '../http/validation.ts'
import { deleteImage, encodeImage, saveImage } from '../images/index.ts'
import { type InstanceSettings, instanceId, type SettingsRecord, settingsView } from '../instance/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Transaction } from '../storage/database.ts'
import type { Administrator, Administrators } from './administrators.ts'

interface Deps {
  administrators: Administrators
  clock: Clock
  instance: Pick<InstanceSettings, 'read' | 'update'>
  auditLog: Pick<AuditLog, 'record'>
}

export type AdminSettings = ReturnType<typeof createAdminSettings>

export function createAdminSettings({ administrators, clock, instance, auditLog }: Deps) {
  /** `actor` is null for a command of the operator. */
  async function change(
    tx: Transaction,
    actor: Actor | null,
    changes: Partial<SettingsRecord>,
  ): Promise<Body> {
    const { before, after } = await instance.update(tx, changes)
    await auditLog.record(tx, {
      serverId: null,
      actor,
      action: 'INSTANCE_UPDATE',
      target: { type: 'instance', id: instanceId, name: after.name },
      changes: changesOf(['registration', 'serverCreation', 'name', 'logo'], before, after),
    })
    return settingsView(after)
  }

  return {
    async read(): Promise<Body> {
      return settingsView(await instance.read())
    },

    /** Throws as `Administrators.actWithProof`. */
    update(administrator: Administrator, body: UpdateInstanceSettingsBody): Promise<Body> {
      return administrators.actWithProof(administrator, body, tx => change(tx, administrator, body))
    },

    /** Throws as `Administrators.act`, `encodeImage` and `saveImage`. */
    async setLogo(administrator: SessionCaller, bytes: Uint8Array): Promise<Body> {
      const { userId } = administrator
      const image = await encodeImage(clock, userId, bytes)
      return administrators.act(administrator, async tx => {
        const owner = { kind: 'instance', ownerId: instanceId } as const
        const logo = await saveImage(tx, { ...owner, uploaderId: userId, image })
        return change(tx, administrator, { logo })
      })
    },

    deleteLogo(administrator: SessionCaller): Promise<Body> {
      return administrators.act(administrator, async tx => {
        await deleteImage(tx, 'instance', instanceId)
        return change(tx, administrator, { logo: null })
      })
    },

    /** Throws `validation_failed` for an invalid value. */
    async updateByOperator(values: Readonly<Record<string, string>>): Promise<Body> {
      const result = validate(values)
      if (result.error) throw result.error
      return administrators.byOperator(tx => change(tx, null, result.value as UpdateInstanceSettingsBody))
    },
  }
}

const validate = compileValidator({ schema: UpdateInstanceSettingsBody, httpPart: 'body' })
