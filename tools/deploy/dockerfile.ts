import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import type { TestContext } from 'node:test'
import { readText } from './files.ts'

const root = join(import.meta.dirname, '../..')

/** A stage of the Dockerfile, and how to run its image. */
export interface Stage {
  /** Stands for `/`. */
  folder: string
  baseImage: string
  env: Record<string, string>
  /** Below `folder`, like `volumes`. */
  workdir: string
  volumes: string[]
  /** `UID:GID` */
  user: string
  healthcheck: string[]
  entrypoint: string[]
  cmd: string[]
}

/** Splits a Dockerfile into instructions, without comments. */
function parse(text: string): [name: string, value: string][] {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  return Array.from(lines.matchAll(/^([A-Z]+) +(.+)$/gm), ([, name = '', value = '']) => [name, value])
}

/**
 * Executes the instructions of the Dockerfile without a container engine. Each stage is an empty folder, and absolute paths in
 * its instructions are below this folder. Of the base images only Node.js is used: the commands run with the programs of this
 * machine. Returns the last stage. Only its volumes are writable.
 */
export function buildImage(t: TestContext): Stage {
  const all = mkdtempSync(join(tmpdir(), 'gatehouse-image-'))
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+w', all])
    rmSync(all, { recursive: true, force: true })
  })
  // Another user runs the service.
  chmodSync(all, 0o755)
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const [name, value] of parse(readText('Dockerfile'))) {
    if (name === 'FROM') {
      const [base = '', , alias = ''] = value.split(' ')
      const folder = join(all, `${stages.size}`)
      mkdirSync(folder)
      const baseImage = stages.get(base)?.baseImage ?? base
      const run = { user: '0:0', healthcheck: [], entrypoint: [], cmd: [] }
      stage = { folder, baseImage, env: {}, workdir: folder, volumes: [], ...run }
      stages.set(alias, stage)
    } else if (stage) execute(stage, name, value, stages)
  }
  if (!stage) throw new Error('The Dockerfile has no stage.')
  // As in the base image. The user of the image may not enter the folder that contains this Node.js.
  const bin = join(stage.folder, 'usr/local/bin')
  mkdirSync(bin, { recursive: true })
  copyFileSync(process.execPath, join(bin, 'node'))
  execFileSync('chmod', ['-R', 'a-w', stage.folder])
  for (const volume of stage.volumes) chmodSync(volume, 0o700)
  return stage
}

function execute(stage: Stage, name: string, value: string, stages: Map<string, Stage>): void {
  const inStage = (path: string) => join(stage.folder, path)
  switch (name) {
    case 'WORKDIR':
      stage.workdir = inStage(value)
      mkdirSync(stage.workdir, { recursive: true })
      return
    case 'COPY': {
      const parts = value.split(' ')
      const flags = new Map(
        parts.filter(part => part.startsWith('--')).map(part => part.slice(2).split('=') as [string, string]),
      )
      const [source = '', target = ''] = parts.filter(part => !part.startsWith('--'))
      const from = flags.get('from')
      const destination = target.startsWith('/') ? inStage(target) : join(stage.workdir, target)
      if (from === undefined) copyContext(destination)
      else
        cpSync(join(stages.get(from)?.folder ?? '', source), destination, {
          recursive: true,
          verbatimSymlinks: true,
        })
      const owner = flags.get('chown')?.split(':').map(Number)
      if (owner && process.getuid?.() === 0) chownSync(destination, owner[0] ?? 0, owner[1] ?? 0)
      return
    }
    case 'RUN':
      execFileSync('sh', ['-e', '-c', value.replaceAll(/(?<= )\/(?=\w)/g, `${stage.folder}/`)], {
        cwd: stage.workdir,
        env: { ...process.env, ...stage.env, npm_config_prefer_offline: 'true' },
        stdio: 'pipe',
      })
      return
    case 'ENV':
      for (const [, key = '', set = ''] of value.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = set
      return
    case 'USER':
      stage.user = value
      return
    case 'VOLUME':
      stage.volumes.push(inStage(value))
      return
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(value.slice(value.indexOf('CMD ') + 4))
      return
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(value)
      return
    case 'CMD':
      stage.cmd = JSON.parse(value)
      return
    case 'EXPOSE':
      return
    default:
      throw new Error(`This cannot execute ${name}.`)
  }
}

/** Copies the files that are in the repository or new, without those of .dockerignore. */
function copyContext(target: string): void {
  const ignored = readText('.dockerignore').split('\n').filter(Boolean)
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', options, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files) {
    if (ignored.some(pattern => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))) continue
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(root, file), join(target, file))
  }
}
