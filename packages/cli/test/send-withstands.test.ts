import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifySignature } from 'webhook-inbox'
import { webhookInbox } from './in-process.js'
import { closedPort, http, pour, selfSigned, trickle } from './servers.js'

const secret = 'whsec_of_the_send_tests'
const env = { WEBHOOK_SECRET: secret }
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'send-'))
})
afterAll(() => rm(folder, { recursive: true }))

const send = (url: string, ...args: string[]) =>
  webhookInbox(['send', 'transfer.settled', '--to', url, ...args], { env })

describe('send', () => {
  it.each<[name: string, url: () => Promise<string>, message: string]>([
    ['nothing listens', async () => `http://127.0.0.1:${await closedPort()}/`, 'nothing listens at'],
    ['no one answers', () => http(() => {}), 'no response within 0.5 s'],
    ['an answer begins and never ends', () => http(trickle), 'did not end within 0.5 s'],
    ['the certificate is self-signed', selfSigned, 'is self-signed'],
    [
      'the headers of the response have 64 KiB',
      () => http((_request, response) => response.setHeader('x-long', 'x'.repeat(65_536)).end()),
      'larger than 16 KiB',
    ],
  ])('exits with 3 and plain words where %s', async (_, url, message) => {
    const { code, stderr } = await send(await url(), '--timeout', '0.5s')
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(message) })
  })

  it.each(['25d', '0', '0s'])(
    'rejects the time limit %s, with which no response could arrive in time',
    async (limit) => {
      const url = await http((request, response) => {
        request.resume()
        response.end()
      })
      const { code, stderr } = await send(url, '--timeout', limit)
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('at most a day') })
    },
  )

  it('does not follow a redirect', async () => {
    const paths: unknown[] = []
    const url = await http((request, response) => {
      paths.push(request.url)
      request.resume()
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const { code, stdout } = await send(url)
    expect([code, paths]).toEqual([1, ['/webhooks']])
    expect(stdout).toContain('307')
    expect(stdout).toContain('expected a 2xx')
  })

  it('reads no more than the beginning of a response without end', async () => {
    const { code, stdout } = await send(await http(pour))
    expect(code).toBe(0)
    expect(stdout.length).toBeLessThan(5000)
  })

  it.each([
    ['of 100 MB', Buffer.alloc(100_000_000, 'a')],
    ['that is binary', Buffer.from([0, 255, 254, 10, 13])],
    ['that is empty', Buffer.alloc(0)],
  ])('sends a body %s as it is', async (_, body) => {
    const path = join(folder, 'body.json')
    await writeFile(path, body)
    let isVerified = false
    const url = await http(async (request, response) => {
      const header = request.headers['service-signature']
      const received = Buffer.concat(await request.toArray())
      await verifySignature({ body: received, header, secret })
      isVerified = true
      response.end()
    })
    const { code } = await webhookInbox(['send', path, '--to', url], { env })
    expect({ code, isVerified }).toEqual({ code: 0, isVerified: true })
  })

  it('sends a header of 64 KiB as it is', async () => {
    const lengths: number[] = []
    const listener: RequestListener = (request, response) => {
      lengths.push(request.headers['x-long']?.length ?? 0)
      request.resume().once('end', () => response.end())
    }
    const url = await http(listener, { maxHeaderSize: 131_072 })
    const { code } = await send(url, '--header', `x-long: ${'x'.repeat(65_536)}`)
    expect([code, lengths]).toEqual([0, [65_536]])
  })
})
