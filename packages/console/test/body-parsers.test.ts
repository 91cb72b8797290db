import express, { type RequestHandler } from 'express'
import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { all } from './every-right.js'
import { act, listen, openFilledInbox } from './rig.js'

const type = '*/*'

it.each<[name: string, parser: RequestHandler]>([
  ['json', express.json()],
  ['raw', express.raw({ type })],
  ['text', express.text({ type })],
])('an act arrives behind express.%s()', async (_, parser) => {
  const { receiver } = await openFilledInbox()
  const url = await listen(express().use(parser, consoleHandler(receiver, all)))
  const replayed = await fetch(`${url}/api/events/evt_dead/replay`, act('naïve – test'))
  expect([replayed.status, await replayed.json()]).toEqual([200, { generation: 1 }])
  expect(await receiver.audits()).toMatchObject([{ reason: 'naïve – test' }])
})

it('an act whose body something else has read, and not kept, is rejected', async () => {
  const { receiver } = await openFilledInbox()
  const reader: RequestHandler = (request, _, next) => void request.resume().once('end', () => next())
  const url = await listen(express().use(reader, consoleHandler(receiver, all)))
  const replayed = await fetch(`${url}/api/events/evt_dead/replay`, act('a test'))
  expect([replayed.status, await replayed.json()]).toMatchObject([422, { code: 'invalid_request' }])
  expect(await receiver.audits()).toEqual([])
})
