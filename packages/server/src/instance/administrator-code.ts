import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '../errors/app-error.ts'
import type { Logger } from '../http/log.ts'
import { constantTimeEqual, createSecret, hashSecret, secretPrefixes } from '../kit/secret.ts'
import type { Database, Sql, Transaction } from '../storage/database.ts'
import * as store from './instance-setting-store.ts'

interface Deps {
  db: Database
  /** The folder of the file with the code. */
  dataDir: string
  logger: Pick<Logger, 'info' | 'error'>
}

export type AdministratorCode = ReturnType<typeof createAdministratorCode>

/** With the code, the first registration becomes administrator (administration/first-administrator). */
export function createAdministratorCode({ db, dataDir, logger }: Deps) {
  const file = join(dataDir, 'administrator-code')

  async function isOutstanding(sql: Sql = db): Promise<boolean> {
    return (await store.findAdministratorCodeHash(sql)) !== undefined
  }

  async function deleteFile(): Promise<void> {
    await rm(file, { force: true }).catch((err: unknown) =>
      logger.error({ err, file }, 'the file with the code for the first administrator cannot be deleted'),
    )
  }

  return {
    isOutstanding,

    /** At the start, on a database without users. Only one of several nodes writes the file. */
    async create(): Promise<void> {
      const code = createSecret(secretPrefixes.administratorCode)
      if (!(await store.putAdministratorCode(db, hashSecret(code)))) return
      try {
        await rm(file, { force: true })
        await writeFile(file, `${code}\n`, { mode: 0o600, flag: 'wx' })
      } catch (error) {
        await store.deleteAdministratorCode(db)
        logger.error({ err: error, file }, 'the code for the first administrator cannot be written')
        return
      }
      logger.info({ file }, 'the first registration with the code in this file becomes administrator')
    },

    /**
     * For the first registration, which uses the code up, also without one. Returns whether the user becomes
     * administrator. Throws `validation_failed` at `administratorCode` for a wrong code.
     */
    async take(tx: Transaction, code: string | undefined): Promise<boolean> {
      if (code === undefined) {
        if (!(await isOutstanding(tx))) return false
        await store.deleteAdministratorCode(tx)
      } else if (!(await store.takeAdministratorCode(tx, hashSecret(code.trim())))) throw wrongCode()
      tx.afterCommit(() => void deleteFile())
      return code !== undefined
    },

    /** Throws like `take`, before the registration has an effect. */
    async check(code: string): Promise<void> {
      const hash = await store.findAdministratorCodeHash(db)
      if (hash === undefined || !constantTimeEqual(hash, hashSecret(code.trim()))) throw wrongCode()
    },

    /** The operator has created a user. */
    async withdraw(): Promise<void> {
      await store.deleteAdministratorCode(db)
      await deleteFile()
    },

    /** Of a node whose code another node used up. */
    async sweep(): Promise<void> {
      if (!(await isOutstanding())) await deleteFile()
    },
  }
}

function wrongCode() {
  return invalid('administratorCode', 'wrong_code', 'is wrong or was already used')
}
