// Puts the tested files of this example into docs/sign-in.md: `node examples/sign-in-site/docs/page.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFiles } from '../../../packages/sdk/docs/page.ts'

export const page = join(import.meta.dirname, '../../../docs/sign-in.md')

if (import.meta.main) writeFileSync(page, withFiles(readFileSync(page, 'utf8')).text)
