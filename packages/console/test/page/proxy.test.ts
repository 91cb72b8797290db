import { request as ask } from 'node:http'
import { expect, it } from 'vitest'
import { openPage, useBrowser } from 'webhook-inbox-ui/browser'
import { consoleHandler } from '../../src/index.js'
import { listen, openFilledInbox } from '../rig.js'
import { cell } from './scene.js'

useBrowser('console')

/** A reverse proxy that puts `inner` in the place of `/team/inbox`. */
const proxy = (origin: string, inner: string) =>
  listen((request, response) => {
    const path = (request.url ?? '').replace('/team/inbox', inner)
    const { method, headers } = request
    const asked = ask(origin + (path.startsWith('/') ? path : `/${path}`), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', () => response.destroy())
    request.pipe(asked)
  })

it.each([
  ['removes the whole prefix', '', ''],
  ['replaces the prefix', '/ops/console', '/ops/console'],
])('opens without the last slash behind a proxy that %s', async (_does, inner, path) => {
  const { receiver } = await openFilledInbox()
  const handle = consoleHandler(receiver, { path, authorize: () => true, actor: () => 'operator' })
  const url = await proxy(await listen((request, response) => void handle(request, response)), inner)
  for (const query of ['', '?x=1']) {
    const page = await openPage(url, `/team/inbox${query}#/events`)
    await cell(page, 'transfer.failed').waitFor()
    expect(page.url()).toBe(`${url}/team/inbox/${query}#/events`)
  }
})

it('stays on its own host when the path begins with two slashes', async () => {
  const { receiver } = await openFilledInbox()
  const handle = consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' })
  const url = await listen((request, response) => {
    request.url = (request.url ?? '').replace(/^\/+example\.com\/?/, '/')
    void handle(request, response)
  })
  const page = await openPage(url, '//example.com#/events')
  await cell(page, 'transfer.failed').waitFor()
  expect(page.url()).toBe(`${url}//example.com/#/events`)
})
