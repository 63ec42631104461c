// Copies the sample files of this folder into docs/sign-in.md: `node examples/sign-in-site/docs/samples.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { insertSamples } from '../../../packages/bot/docs/samples.ts'

export const guide = join(import.meta.dirname, '../../../docs/sign-in.md')

if (import.meta.main) writeFileSync(guide, insertSamples(readFileSync(guide, 'utf8')).text)
