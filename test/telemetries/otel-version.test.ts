import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { createReceiver } from '../../src/receiver.js'
import { sqliteStore } from '../../src/stores/sqlite.js'
import { clock, delivery, secret } from '../receiver/deliver.js'
import { newFile, removeFiles } from '../stores/sqlite-files.js'
import { otelRig } from './otel-rig.js'

const rig = otelRig()
afterAll(async () => {
  await rig.close()
  removeFiles()
})

it('the scopes of spans and of metrics have the version of the package', async () => {
  const store = sqliteStore(newFile())
  const receiver = createReceiver({
    secret,
    now: clock,
    logger: false,
    store,
    telemetry: rig.telemetry(),
    fallback() {},
  })
  await receiver.receive(await delivery())
  await store.close()
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const scopes = await rig.scopes()
  expect(new Set(scopes.map((scope) => `${scope.name} ${scope.version}`))).toEqual(
    new Set([`${name} ${version}`]),
  )
  expect(scopes.length).toBeGreaterThan(1)
})
