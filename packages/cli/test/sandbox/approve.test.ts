import { describe, expect, it } from 'vitest'
import { onPlane } from './plane.js'

interface Approval {
  readonly id: string
  readonly transferId: string
  readonly status: string
}

const approval = (n: number, status = 'pending'): Approval => ({
  id: `apr_${n}`,
  transferId: `tr_${n}`,
  status,
})

async function approve(args: readonly string[], approvals: readonly Approval[]) {
  const { asked, ...printed } = await onPlane(['approve', ...args], {
    'GET config': { apiKey: 'sk_test_1' },
    'GET /v1/approvals': { data: approvals, hasMore: false, nextCursor: null },
    ...Object.fromEntries(
      approvals.map((each) => [`POST approvals/${each.id}/decide`, { ...each, status: 'decided' }]),
    ),
  })
  return { ...printed, decided: asked.filter(([name]) => name.startsWith('POST')) }
}

describe('sandbox approve', () => {
  it('decides the only one that waits, or the one that is named by either id', async () => {
    const approved = [['POST approvals/apr_2/decide', { decision: 'approved' }]]
    const several = [approval(1, 'approved'), approval(2)]
    expect(await approve([], several)).toEqual({
      code: 0,
      out: ['tr_2  decided'],
      err: [],
      decided: approved,
    })
    for (const id of ['apr_2', 'tr_2']) {
      expect((await approve([id], [...several, approval(3)])).decided).toEqual(approved)
    }
    const rejected = await approve(['--reject', '--json'], several)
    expect(rejected.decided).toEqual([['POST approvals/apr_2/decide', { decision: 'rejected' }]])
    expect(rejected.out).toEqual([JSON.stringify({ ...approval(2), status: 'decided' })])
  })

  const how =
    'waits for an approval; make one: webhook-inbox sandbox transfer --rail sim_approval; under a virtual clock it waits once the clock was advanced'

  it.each<[string, string[], Approval[], number, string]>([
    ['none', [], [], 1, `no transfer ${how}`],
    ['none any more', [], [approval(1, 'approved')], 1, `no transfer ${how}`],
    ['another', ['tr_9\n'], [approval(1)], 1, `neither a transfer nor an approval tr_9\\n ${how}`],
    [
      'one that was rejected',
      ['tr_1'],
      [approval(1, 'rejected'), approval(2)],
      1,
      'tr_1 is already rejected; nothing was done',
    ],
    ['two', [], [approval(1), approval(2)], 2, 'several transfers wait: tr_1, tr_2; name one'],
    [
      'six',
      [],
      [1, 2, 3, 4, 5, 6].map((n) => approval(n)),
      2,
      'several transfers wait: tr_1, tr_2, tr_3, tr_4, tr_5; name one',
    ],
  ])('decides nothing where %s waits', async (_, args, approvals, code, message) => {
    const { err, ...rest } = await approve(args, approvals)
    expect(rest).toEqual({ code, out: [], decided: [] })
    expect(err[0]).toBe(`webhook-inbox: ${message}`)
  })
})
