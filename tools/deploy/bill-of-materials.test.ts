import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBillOfMaterials } from './bill-of-materials.ts'
import { readText } from './files.ts'

test('the bill of materials has the dependencies of the released packages, and no development dependencies', () => {
  const { bomFormat, components } = readBillOfMaterials()
  assert.equal(bomFormat, 'CycloneDX')
  const refs = new Set(components.map(component => component['bom-ref'].replace(/@[^@]*$/, '')))
  for (const name of ['server', 'web', 'bot', 'protocol', 'gateway-client']) {
    const { dependencies = {} } = JSON.parse(readText(`packages/${name}/package.json`))
    for (const dependency of Object.keys(dependencies)) assert.ok(refs.has(dependency), dependency)
  }
  for (const name of ['@biomejs/biome', 'typescript', 'playwright-core']) assert.ok(!refs.has(name), name)
})
