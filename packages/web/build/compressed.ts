import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const minBytes = 512

/** Writes each asset also as `.br` and `.gz`, which the service sends without compressing them itself. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const writes = Object.values(bundle).map(async file => {
        if (!/\.(?:js|css|svg|json)$/.test(file.fileName)) return
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source)
        if (bytes.length < minBytes) return
        const path = join(dir, file.fileName)
        const [brotli, zipped] = await Promise.all([
          promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
          promisify(gzip)(bytes, { level: 9 }),
        ])
        await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, zipped)])
      })
      await Promise.all(writes)
    },
  }
}
