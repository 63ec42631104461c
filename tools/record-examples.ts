import { writeFileSync } from 'node:fs'
import { files, recordExamples } from './examples/record.ts'

/** Records the examples of the API documents again, after a change of what the service accepts or answers. */
const cleanups: (() => Promise<void>)[] = []
try {
  const { operations, frames } = await recordExamples({
    after: run => cleanups.push(run as () => Promise<void>),
  })
  for (const [file, examples] of [
    [files.operations, operations],
    [files.frames, frames],
  ] as const)
    writeFileSync(file, `${JSON.stringify(examples, undefined, 2)}\n`)
} finally {
  for (const cleanUp of cleanups) await cleanUp()
}
