import { expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import type { WorkerRow } from '../src/wire.js'
import { all } from './every-right.js'
import { act, json, listen, openInbox } from './rig.js'

interface Numbered {
  readonly data: { readonly phone: string }
}

const resource = ({ data }: Numbered) => data.phone

it('a masked resource cannot be paused, so that a pause confirms no guess', async () => {
  const inbox = await openInbox(undefined, {}, { attempts: 1 }, { resource })
  const { receiver } = inbox
  const audit = { reason: 'a test', actor: 'operator 2' }
  await receiver.pause({}, audit)
  await inbox.send('ledger.noted', { phone: '4670' }, 'evt_1')
  const masked = await listen(consoleHandler(receiver, { ...all, mask: ['data.phone'] }))
  const open = await listen(consoleHandler(receiver, { ...all, mask: ['data.name'] }))
  const pause = (url: string, phone: string) =>
    fetch(`${url}/api/flow/pause`, act('x', {}, { resource: phone, seen: undefined }))
  const [right, wrong] = [await pause(masked, '4670'), await pause(masked, '4671')]
  expect([right.status, await right.text()]).toEqual([wrong.status, await wrong.text()])
  expect((await receiver.paused()).filter(({ resource }) => resource)).toEqual([])
  expect((await pause(open, '4670')).status).toBe(200)
  const seen = (await receiver.paused()).find(({ resource }) => resource === '4670')?.pausedAt
  const resume = act('x', {}, { resource: '4670', seen })
  expect(await json(`${masked}/api/flow/resume`, resume)).toEqual({ isChanged: true })
})

it('a process at the limit of a resource does not name it with a mask', async () => {
  const { receiver } = await openInbox()
  const limited = { types: [], resources: ['4670'] }
  const workers = async () => (await receiver.workers()).map((worker) => ({ ...worker, limited }))
  const limitedAt = async (options: object) => {
    const url = await listen(consoleHandler({ ...receiver, workers }, { ...all, ...options }))
    const [row] = await json<readonly WorkerRow[]>(`${url}/api/workers`)
    return row?.limitedResources
  }
  expect(await limitedAt({})).toEqual(['4670'])
  expect(await limitedAt({ mask: ['data.phone'] })).toEqual(['•••'])
})
