import { randomBytes } from 'node:crypto'
import { access, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The 32 bytes that encrypt stored secrets (community/secrets): `SECRET_KEY` if it is set, otherwise the file
 * `secret.key` in the data folder, which the first start creates with mode 0600. Throws if the file does not contain a
 * key.
 */
export async function loadSecretKey(
  configured: Uint8Array | undefined,
  dataDir: string,
): Promise<Uint8Array> {
  if (configured) return configured
  const path = join(dataDir, 'secret.key')
  await mkdir(dataDir, { recursive: true })
  if (!(await exists(path))) await createKeyFile(path)
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path}: expected 32 bytes in base64`)
  return key
}

/**
 * Writes a temporary file and links it: only one of several concurrent first starts creates the file, and none of them
 * reads an incomplete one.
 */
async function createKeyFile(path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(temporary, path)
  } catch (error) {
    if (!(await exists(path))) throw error
  } finally {
    await unlink(temporary)
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
