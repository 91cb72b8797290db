import { expect, it } from 'vitest'
import { webhookInbox } from '../in-process.js'
import { onEachStore } from './each-store.js'
import { given, ids, jsonLines } from './rig.js'

onEachStore((rig) => {
  it('lists events of a TypeScript program as JSON lines, without bodies', async () => {
    const { code, stdout } = await rig().inbox(['list'])
    expect(code).toBe(0)
    expect(ids(stdout)).toEqual(given)
    const [first] = jsonLines(stdout)
    expect(first).toMatchObject({ state: 'done', type: 'transfer.settled', bytes: expect.any(Number) })
    expect(first).not.toHaveProperty('body')
  })

  it('filters by state, type and time', async () => {
    const listed = async (...args: string[]) => ids((await rig().inbox(['list', ...args])).stdout)
    expect(await listed('--state', 'done')).toEqual(['evt_good'])
    expect(await listed('--type', 'transfer.*', '--since', '1h')).toHaveLength(4)
    expect(await listed('--type', 'transfer.failed', '--limit', '2')).toEqual(['evt_1', 'evt_2'])
    expect(await listed('--since', '2999-01-01')).toEqual([])
    expect(await listed('--order', 'newest')).toEqual(given.toReversed())
    expect(await listed('--order', 'newest', '--limit', '1')).toEqual(given.slice(-1))
  })

  it.each(['--type', '--group', '--resource', '--root'])('rejects an empty %s', async (name) => {
    const { code, stdout, stderr } = await rig().inbox(['list', name, ''])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${name} must not be empty`)
  })

  it('prints tables in a terminal', async () => {
    const args = ['inbox', 'dead', '--receiver', rig().module]
    const { stdout } = await webhookInbox(args, { columns: 140, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/^RECEIVED +STATE +ATTEMPTS +TYPE +EVENT +LAST ERROR\n/)
    expect(stdout).toMatch(
      /dead +1 +transfer\.failed +evt_1 +handler_failed: Error: the ledger refuses tr_evt_1\n/,
    )
  })

  it('pauses and resumes a type, and says why an event does not run', async () => {
    const about = ['--type', 'transfer.settled', '--reason', 'the ledger is down', '--actor', 'suite']
    const paused = await rig().inbox(['pause', ...about])
    expect(jsonLines(paused.stdout)).toEqual([{ type: 'transfer.settled', isPaused: true, isChanged: true }])
    expect(jsonLines((await rig().inbox(['pause', ...about])).stdout)[0]).toMatchObject({ isChanged: false })
    expect(jsonLines((await rig().inbox(['health', '--json'])).stdout)[0]).toMatchObject({
      paused: [{ type: 'transfer.settled', reason: 'the ledger is down', actor: 'suite' }],
    })
    const stale = await rig().inbox(['resume', ...about, '--paused-at', '2026-01-01T00:00:00.000Z'])
    expect([stale.code, stale.stdout]).toEqual([1, ''])
    expect(stale.stderr).toMatch(
      /type transfer\.settled has another pause now by suite since .+: the ledger is down; nothing was done/,
    )
    const [pause] = await rig().running.paused()
    const resumed = await rig().inbox(['resume', ...about, '--paused-at', pause?.pausedAt ?? ''])
    expect(jsonLines(resumed.stdout)[0]).toMatchObject({ isPaused: false, isChanged: true })
    const why = await rig().inbox(['explain', 'evt_1', '--json'])
    expect(why.code).toBe(0)
    expect(jsonLines(why.stdout)[0]).toMatchObject({ id: 'evt_1', reason: 'dead' })
    const missing = await rig().inbox(['explain', 'evt_missing'])
    expect([missing.code, missing.stdout]).toEqual([
      1,
      'No event evt_missing is kept for the endpoint payments.\n',
    ])
    expect((await rig().inbox(['pause', '--type', 'a', '--resource', 'b', '--reason', 'c'])).code).toBe(2)
  })

  it('does not pause a type without an event unless it is told to', async () => {
    const pause = (...args: string[]) => rig().inbox(['pause', ...args, '--reason', 'the ledger is down'])
    for (const type of ['transfer.setled', 'transfer.*']) {
      const { code, stdout, stderr } = await pause('--type', type)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`no event of the type ${type} is kept here. Check the spelling, or add --yes`)
    }
    expect(await rig().running.paused()).toEqual([])
    const told = await pause('--type', 'transfer.setled', '--yes')
    expect(told.stderr).toContain('No event of the type transfer.setled is kept here. Check the spelling.')
    expect(jsonLines(told.stdout)).toMatchObject([{ type: 'transfer.setled', isChanged: true }])
    await rig().running.resume({ type: 'transfer.setled' }, { reason: 'a test', actor: 'suite' })
  })

  it('lists dead events', async () => {
    expect(ids((await rig().inbox(['dead'])).stdout)).toEqual(['evt_1', 'evt_2', 'evt_3'])
  })

  it('shows one event with its body, and exits with 1 for an unknown event', async () => {
    const { body, place, attempts, lastError } = JSON.parse(
      (await rig().inbox(['show', 'evt_1', '--json'])).stdout,
    )
    expect(JSON.parse(body)).toMatchObject({ id: 'evt_1', data: { transferId: 'tr_evt_1' } })
    const { stdout } = await rig().inbox(['show', 'evt_1'])
    expect(stdout).toContain(`place         ${place}\n`)
    expect(attempts).toEqual([
      expect.objectContaining({ generation: 0, attempt: 1, error: lastError, at: expect.any(String) }),
    ])
    expect(stdout).toContain(`attempts      1  ${attempts[0].at}  ${lastError}\n`)
    expect(stdout).toContain('    "transferId": "tr_evt_1",\n')
    expect(place).toMatch(/transfer\.failed/)
    expect(await rig().inbox(['show', 'evt_unknown'])).toMatchObject({ code: 1, stdout: '' })
  })

  it('shows a quarantined delivery with its fault and its body', async () => {
    const [{ key }] = jsonLines((await rig().inbox(['quarantine'])).stdout)
    const { code, stdout } = await rig().inbox(['show', key])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^key {11}payments\/[0-9a-f]{64}\nendpoint {6}payments\ncode {10}invalid_json\n/)
    expect(stdout).toMatch(/\nrejection {5}invalid_json\n(?:.+\n)*\nnot JSON\n$/)
    const shown = JSON.parse((await rig().inbox(['show', key, '--json'])).stdout)
    expect(shown).toMatchObject({ key, body: 'not JSON', rejection: { code: 'invalid_json' } })
    expect(await rig().inbox(['show', key, '--kind', 'event'])).toMatchObject({ code: 1, stdout: '' })
    const unknown = await rig().inbox(['show', `payments/${'0'.repeat(64)}`])
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toMatch(/no quarantined delivery payments\/0{64} is kept/)
  })

  it('health fails a probe over its limits', async () => {
    const limits = ['--max-age', '5m', '--max-dead', '3', '--max-quarantined', '1', '--json']
    const { code, stdout } = await rig().inbox(['health', ...limits])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ counts: { done: 1, dead: 3, quarantined: 1 }, problems: [] })
    const failing = await rig().inbox(['health', '--max-dead', '2', '--max-quarantined', '0'])
    expect([failing.code, failing.stdout]).toEqual([1, expect.stringMatching(/^dead +3$/m)])
    expect(failing.stderr).toContain('3 events are dead, more than 2')
    expect(failing.stderr).toContain('1 delivery is in quarantine, more than 0')
    expect(failing.stderr).toMatch(
      /\n`webhook-inbox inbox failures` lists why events are dead or deliveries are in quarantine\.\n$/,
    )
  })

  it('prunes nothing that is younger than the retention', async () => {
    expect((await rig().inbox(['prune'])).stdout).toBe('0 events and deliveries deleted.\n')
  })

  it('runs the migration of the module repeatedly without changes', async () => {
    expect(await rig().inbox(['migrate'])).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n' })
    expect(ids((await rig().inbox(['list'])).stdout)).toEqual(given)
  })
})
