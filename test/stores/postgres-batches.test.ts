import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StoreError } from '../../src/errors.js'
import { postgresStore } from '../../src/stores/postgres.js'
import { startTcpProxy } from '../servers/tcp-proxy.js'
import { newEvent, postgresRig } from './postgres-rig.js'

const rig = postgresRig()

test('an event that waits too long while the server hangs is rejected, and not sent later', async () => {
  const proxy = await startTcpProxy(Number(new URL(rig.url).port))
  const url = new URL(rig.url)
  url.port = String(proxy.port)
  const { inbox } = postgresStore({ pool: rig.pool({ connectionString: url.href }) })
  try {
    await inbox.accept(newEvent())
    proxy.hold()
    const sent = []
    // This many are sent while others run. The next ones wait.
    for (let i = 0; i < 2; i++) {
      sent.push(inbox.accept(newEvent({ workSeconds: 60 })))
      await sleep(20)
    }
    const late = newEvent({ workSeconds: 0.05 })
    const outcome = inbox.accept(late).catch((error: unknown) => error)
    await sleep(100)
    const patient = inbox.accept(newEvent({ workSeconds: 60 }))
    expect(await outcome).toBeInstanceOf(StoreError)
    proxy.release()
    expect(await Promise.all([...sent, patient])).toEqual(Array(3).fill({ state: 'accepted' }))
    expect(await inbox.read(late.key)).toBeUndefined()
  } finally {
    await proxy.close()
  }
})

test('an event that waits behind one with more time is rejected when its own time is over', async () => {
  const proxy = await startTcpProxy(Number(new URL(rig.url).port))
  const url = new URL(rig.url)
  url.port = String(proxy.port)
  const { inbox } = postgresStore({ pool: rig.pool({ connectionString: url.href }) })
  try {
    await inbox.accept(newEvent())
    proxy.hold()
    const sent = []
    // This many are sent while others run. The next ones wait.
    for (let i = 0; i < 2; i++) {
      sent.push(inbox.accept(newEvent({ workSeconds: 60 })))
      await sleep(20)
    }
    sent.push(inbox.accept(newEvent({ workSeconds: 60 })))
    const late = newEvent({ workSeconds: 0.05 })
    const outcome = inbox.accept(late).catch((error: unknown) => error)
    await sleep(100)
    sent.push(inbox.accept(newEvent({ workSeconds: 60 })))
    expect(await Promise.race([outcome, sleep(500)])).toBeInstanceOf(StoreError)
    proxy.release()
    expect(await Promise.all(sent)).toEqual(Array(4).fill({ state: 'accepted' }))
    expect(await inbox.read(late.key)).toBeUndefined()
  } finally {
    await proxy.close()
  }
})
