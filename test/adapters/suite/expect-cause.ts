import { expect } from 'vitest'
import { deliver } from './http.js'
import { type MountRoute, rig } from './middleware-rig.js'
import { signed } from './signed.js'

/** Delivers to a route that throws, and expects its error as the cause of what the receiver reports. */
export async function expectCause(mount: MountRoute): Promise<void> {
  const thrown = new Error('the ledger is locked')
  for (const fail of [() => Promise.reject(thrown), () => raise(thrown)]) {
    const { url, results } = await rig(mount, fail)
    expect((await deliver(url, await signed())).status).toBe(500)
    expect(results[0]).toMatchObject({
      code: 'handler_failed',
      cause: { message: 'the route answered 500', cause: thrown },
    })
  }
}

function raise(error: Error): never {
  throw error
}
