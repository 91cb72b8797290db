import { expect, it } from 'vitest'
import { signPayload } from 'webhook-inbox'
import { diagnose } from '../src/index.js'

it('takes undefined for every optional option', async () => {
  const [body, secret, now] = [new TextEncoder().encode('{}'), 'whsec_test_secret', 1_700_000_000]
  const header = await signPayload({ body, secret, timestamp: now })
  const scheme = { content: undefined, encoding: undefined, key: undefined, keyPrefix: undefined }
  const given = { body, header, secret: { name: 'mine', secret }, now }
  const rest = { scheme, toleranceSeconds: undefined, otherSecrets: undefined, otherDeliveries: undefined }
  expect(await diagnose({ ...given, ...rest } as never)).toEqual(await diagnose(given as never))
})
