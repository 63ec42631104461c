import { type InstanceSettings as Body, UpdateInstanceSettingsBody } from '@gatehouse/protocol/administration'
import type { Users } from '../accounts/users/index.ts'
import { type Actor, type AuditLog, changesOf } from '../audit/index.ts'
import { compileValidator } from '../http/validation.ts'
import { deleteImage, encodeImage, saveImage } from '../images/index.ts'
import { type InstanceSettings, instanceId, type SettingsRecord, settingsView } from '../instance/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Database, Transaction } from '../storage/database.ts'
import type { Administrator } from './admin-users.ts'

interface Deps {
  db: Database
  clock: Clock
  users: Pick<Users, 'proofs'>
  instance: Pick<InstanceSettings, 'read' | 'update'>
  auditLog: Pick<AuditLog, 'record'>
}

export type AdminSettings = ReturnType<typeof createAdminSettings>

export function createAdminSettings({ db, clock, users, instance, auditLog }: Deps) {
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

    /** Requires the proof of the administrator (administration/proof), and throws for it like `AdminUsers.update`. */
    update(administrator: Administrator, body: UpdateInstanceSettingsBody): Promise<Body> {
      return users.proofs.withProof(administrator, body, tx => change(tx, administrator, body))
    },

    /** Throws as `encodeImage` and `saveImage`. */
    async setLogo(actor: Actor, bytes: Uint8Array): Promise<Body> {
      const image = await encodeImage(clock, actor.userId, bytes)
      return db.transaction(async tx => {
        const owner = { kind: 'instance', ownerId: instanceId } as const
        const logo = await saveImage(tx, { ...owner, uploaderId: actor.userId, image })
        return change(tx, actor, { logo })
      })
    },

    deleteLogo(actor: Actor): Promise<Body> {
      return db.transaction(async tx => {
        await deleteImage(tx, 'instance', instanceId)
        return change(tx, actor, { logo: null })
      })
    },

    /** Throws `validation_failed` for an invalid value. */
    async updateByOperator(values: Readonly<Record<string, string>>): Promise<Body> {
      const result = validate(values)
      if (result.error) throw result.error
      return db.transaction(tx => change(tx, null, result.value as UpdateInstanceSettingsBody))
    },
  }
}

const validate = compileValidator({ schema: UpdateInstanceSettingsBody, httpPart: 'body' })
