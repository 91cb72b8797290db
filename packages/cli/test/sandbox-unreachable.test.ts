import { expect, it } from 'vitest'
import { webhookInbox } from './in-process.js'
import { closedPort, http, pour, selfSigned } from './servers.js'

it.each<[name: string, url: () => Promise<string>, message: string]>([
  ['nothing listens', async () => `http://127.0.0.1:${await closedPort()}`, 'no sandbox answers at'],
  ['another server answers', () => http((_, response) => response.end('<p>Hello</p>')), 'is it a sandbox?'],
  ['an answer has no end', () => http(pour), 'has no end; is it a sandbox?'],
  [
    'a redirect leads elsewhere',
    () => http((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()),
    'answered 302',
  ],
  ['the certificate is self-signed', selfSigned, 'no sandbox answers at'],
  ['no one answers', () => http(() => {}), 'did not answer within 10 s'],
])('a command for the sandbox exits with 3 and plain words where %s', async (_, url, message) => {
  const { code, stdout, stderr } = await webhookInbox(['sandbox', 'seeds', '--url', await url()])
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toContain(message)
})
