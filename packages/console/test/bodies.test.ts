import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { consoleApp } from '../src/console-app.js'
import { consoleHandler } from '../src/index.js'
import { resolveOptions } from '../src/options.js'
import { all } from './every-right.js'
import { act, limitedConsole, listen, openFilledInbox } from './rig.js'

const path = '/api/events/evt_dead/replay'

/** Sends the head of a change and then `parts`. Resolves to all that came back until the server closed the connection. */
async function send(origin: string, size: number, parts: readonly Buffer[]) {
  const { host, hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const closed = new Promise<unknown>((resolve) => socket.on('close', resolve))
  let [text, error]: [string, Error | undefined] = ['', undefined]
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', (given) => {
    error = given
  })
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: same-origin\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
  )
  for (const part of parts) {
    socket.write(part)
  }
  await closed
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { head, body: JSON.parse(body) as object, error }
}

it('a body that arrives too slowly is answered 408 with a text about its time, and changes nothing', async () => {
  const { receiver } = await openFilledInbox()
  const url = await listen(limitedConsole(receiver, all, { bodySeconds: 0.2 }))
  const { head, body } = await send(url, 1000, [Buffer.from('{"reason":')])
  expect(head).toMatch(/^HTTP\/1\.1 408 /)
  expect(head).toMatch(/^connection: close$/im)
  expect(body).toMatchObject({
    code: 'body_too_slow',
    status: 408,
    title: 'The body arrives too slowly',
    detail: 'The body of the request has not arrived within 0.2 seconds. Nothing was changed.',
  })
  expect(await receiver.audits()).toEqual([])
})

it('a body that arrives in time may be answered after that time', async () => {
  const { receiver } = await openFilledInbox()
  const slow = {
    ...receiver,
    async replay(...given: Parameters<typeof receiver.replay>) {
      await new Promise((resolve) => setTimeout(resolve, 700))
      return receiver.replay(...given)
    },
  }
  const url = await listen(limitedConsole(slow, all, { bodySeconds: 0.5 }))
  expect((await fetch(url + path, act('a test'))).status).toBe(200)
})

it.each([5, 40])(
  'the answer to a body of %i MB can be read, and says that the connection ends',
  async (megabytes) => {
    const { receiver } = await openFilledInbox()
    const url = await listen(consoleHandler(receiver, all))
    const size = megabytes * 1_000_000
    const { head, body, error } = await send(url, size, [Buffer.alloc(size, 'x')])
    expect(error).toBeUndefined()
    expect(head).toMatch(/^HTTP\/1\.1 413 /)
    expect(head).toMatch(/^connection: close$/im)
    expect(body).toMatchObject({
      code: 'body_too_large',
      detail: 'A body may have 4194304 bytes. Nothing was changed.',
    })
  },
)

it('a body of empty chunks without end is answered when its time is over', async () => {
  const { receiver } = await openFilledInbox()
  const settings = resolveOptions(receiver, all)
  const app = consoleApp({ ...settings, limits: { ...settings.limits, bodySeconds: 0.05 } })
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      // Ends, so that a reader that never lets a timer fire fails this test and does not hang it.
      if (++pulled > 200_000) {
        controller.close()
      } else {
        controller.enqueue(new Uint8Array(0))
      }
    },
  })
  const { headers } = act('x')
  const given = { method: 'POST', headers, body, duplex: 'half' }
  const request = new Request(`http://localhost${path}`, given as RequestInit)
  const answer = await app(request, { path, caller: request as never })
  expect([answer.status, pulled < 200_000]).toEqual([408, true])
})
