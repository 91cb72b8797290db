import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { nodeHandler } from '../../adapters/node.js'
import { createReceiver } from '../../src/receiver.js'
import { memoryStore } from '../../src/stores/memory.js'
import { RawConnection, rawRequest } from './suite/http.js'
import { listen } from './suite/listen.js'
import { eventually } from './suite/rig.js'
import { headerLines, secret, signed } from './suite/signed.js'

test('a program gets each value of a header that was sent twice, and one value as it is', async () => {
  const seen: unknown[] = []
  const receiver = createReceiver({
    secret({ headers }) {
      const of = headers as (name: string) => unknown
      seen.push(of('x-tenant'), of('x-one'), of('x-none'))
      return secret
    },
    store: memoryStore(),
    logger: false,
    fallback: () => {},
  })
  const { url, close } = await listen(createServer(nodeHandler(receiver)) as never)
  onTestFinished(() => void close())
  const delivery = await signed()
  const lines: [string, string][] = [
    ...headerLines(delivery),
    ['X-Tenant', 'a'],
    ['x-one', '1'],
    ['x-tenant', 'b'],
  ]
  const connection = new RawConnection(url)
  connection.write(rawRequest(url, 'POST', lines))
  connection.write(delivery.body)
  await eventually(() => seen.length > 0, 'the secret is asked for')
  connection.destroy()
  expect(seen).toEqual([['a', 'b'], '1', undefined])
})
