import { randomBytes } from 'node:crypto'
import { access, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The 32 bytes that seal what must be read again (D6): `SECRET_KEY` where it is set, else `secret.key` in the data
 * folder, made at the first start with mode 0600. Throws with one line where the file is not such a key.
 */
export async function loadSecretKey(given: Uint8Array | undefined, dataDir: string): Promise<Uint8Array> {
  if (given) return given
  const path = join(dataDir, 'secret.key')
  await mkdir(dataDir, { recursive: true })
  if (!(await exists(path))) await makeKey(path)
  const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path}: expected 32 bytes in base64`)
  return key
}

/** Written whole under another name, then linked: of several first starts one makes the file, and none reads half of it. */
async function makeKey(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('base64')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, path)
  } catch (error) {
    if (!(await exists(path))) throw error
  } finally {
    await unlink(draft)
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
