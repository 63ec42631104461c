import {
  defaultInstanceName,
  type RegistrationMode,
  registrationModes,
  serverCreators,
  type InstanceSettings as View,
} from '@gatehouse/protocol/administration'
import type { Bus } from '../bus/bus.ts'
import { imagePath } from '../images/index.ts'
import type { Database, Sql, Transaction } from '../storage/database.ts'
import * as store from './instance-setting-store.ts'

export type SettingsRecord = Omit<View, 'logo'> & {
  /** The hash of the image. */
  logo: string | null
}

/** The owner of the logo among the images: no user or server has this id. */
export const instanceId = '10000000000000000'

const subject = 'instance.settings'

export type InstanceSettings = ReturnType<typeof createInstanceSettings>

/** `registration` applies until administrators set another one. */
export function createInstanceSettings({
  db,
  bus,
  registration,
  onError,
}: {
  db: Database
  bus: Pick<Bus, 'publish' | 'subscribe'>
  registration: RegistrationMode
  onError: (error: unknown) => void
}) {
  function toRecord(stored: store.StoredSettings | undefined): SettingsRecord {
    return {
      registration: registrationModes.find(mode => mode === stored?.registration) ?? registration,
      serverCreation: serverCreators.find(who => who === stored?.serverCreation) ?? 'everyone',
      name: stored?.name ?? defaultInstanceName,
      logo: stored?.logo ?? null,
    }
  }

  let current = toRecord(undefined)

  /** As they are stored now, for what is decided with them (administration/settings). */
  async function read(sql: Sql = db): Promise<SettingsRecord> {
    return toRecord(await store.findSettings(sql))
  }

  async function refresh(): Promise<void> {
    try {
      current = await read()
    } catch (error) {
      onError(error)
    }
  }

  return {
    read,
    /** What pages, mails and the web client show, as it was stored at most 5 s ago. */
    shown: (): View => settingsView(current),
    /** Undefined for the default, which says nothing. */
    nameInMails: () => (current.name === defaultInstanceName ? undefined : current.name),
    /** Reads what a command without NATS has changed. */
    refresh,

    /** From then on this node learns of all changes. */
    async open(): Promise<void> {
      await bus.subscribe(subject, () => void refresh())
      await refresh()
    },

    /** All nodes show the change after the commit. */
    async update(
      tx: Transaction,
      changes: Partial<SettingsRecord>,
    ): Promise<{ before: SettingsRecord; after: SettingsRecord }> {
      await store.lockSettings(tx)
      const stored = await store.findSettings(tx)
      const { registration, serverCreation, name, logo } = { ...stored, ...changes }
      const after: store.StoredSettings = {
        registration: registration ?? null,
        serverCreation: serverCreation ?? null,
        name: name ?? null,
        logo: logo ?? null,
      }
      await store.putSettings(tx, after)
      tx.afterCommit(() => bus.publish(subject, null))
      return { before: toRecord(stored), after: toRecord(after) }
    },
  }
}

export function settingsView({ logo, ...settings }: SettingsRecord): View {
  return { ...settings, logo: logo === null ? null : imagePath('instance', instanceId, logo) }
}
