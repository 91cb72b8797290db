import { expect, test } from 'vitest'
import { startTestSandbox } from '../rig.js'

test('a program that reads page by page gets each record once, while records are added', async () => {
  const sandbox = await startTestSandbox()
  const create = () => sandbox.post('/v1/wallets', { owner: 'cus_ada', currency: 'EUR' })
  const made: string[] = []
  for (let count = 0; count < 39; count++) {
    made.push((await create()).body.id)
  }

  const read: string[] = []
  const sizes: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await sandbox.get(`/v1/wallets?limit=20${cursor && `&cursor=${cursor}`}`)
    read.push(...body.data.map((wallet: { id: string }) => wallet.id))
    sizes.push(body.data.length)
    expect(body.hasMore).toBe(body.nextCursor !== null)
    cursor = body.nextCursor
    await create()
  }
  // 39 and the six of the seeds.
  expect(sizes).toEqual([20, 20, 5])
  expect(new Set(read).size).toBe(45)
  expect(made.filter((id) => !read.includes(id))).toEqual([])
})

test('a page has 20 records unless the request asks for 1 to 100', async () => {
  const sandbox = await startTestSandbox()
  for (let count = 0; count < 20; count++) {
    await sandbox.post('/v1/wallets', { owner: 'cus_ada', currency: 'EUR' })
  }
  expect((await sandbox.get('/v1/wallets')).body.data).toHaveLength(20)
  expect((await sandbox.get('/v1/wallets?limit=100')).body.data).toHaveLength(26)
  for (const limit of ['0', '101', '-1', '1.5', 'x', '']) {
    const { status, body } = await sandbox.get(`/v1/wallets?limit=${limit}`)
    expect([limit, status, body.param]).toEqual([limit, 422, 'limit'])
  }
})

test('every list has the same pages', async () => {
  const sandbox = await startTestSandbox()
  for (const path of [
    'wallets',
    'transfers',
    'events',
    'approvals',
    'ledger/entries',
    'webhook-subscriptions',
  ]) {
    const { status, body } = await sandbox.get(`/v1/${path}?limit=1`)
    expect([path, status, Object.keys(body)]).toEqual([path, 200, ['data', 'hasMore', 'nextCursor']])
  }
})

test('an invalid cursor is rejected with 422', async () => {
  const sandbox = await startTestSandbox()
  const encoded = [
    'before:',
    'before:x',
    'xbefore:5',
    'before:5x',
    'before:-5',
    `before:${'9'.repeat(16)}`,
  ].map((text) => Buffer.from(text).toString('base64url'))
  for (const cursor of ['x', 'MTIz', encodeURIComponent("' OR 1=1 --"), ...encoded]) {
    const { status, body } = await sandbox.get(`/v1/wallets?cursor=${cursor}`)
    expect([cursor, status, body.param]).toEqual([cursor, 422, 'cursor'])
  }
})
