import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const worthwhile = 512

/** Puts each asset beside itself as `.br` and `.gz`: the service sends them as they are, so it compresses nothing. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const works = Object.values(bundle).map(async file => {
        if (!/\.(?:js|css|svg|json)$/.test(file.fileName)) return
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source)
        if (bytes.length < worthwhile) return
        const path = join(dir, file.fileName)
        const [brotli, zipped] = await Promise.all([
          promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
          promisify(gzip)(bytes, { level: 9 }),
        ])
        await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, zipped)])
      })
      await Promise.all(works)
    },
  }
}
