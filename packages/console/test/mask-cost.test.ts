import { describe, expect, it } from 'vitest'
import { consoleHandler } from '../src/index.js'
import { bodyView } from '../src/views/body-view.js'
import { withoutHidden } from '../src/views/hidden-values.js'
import { type MaskAt, resolveMask } from '../src/views/mask.js'
import type { Snippet } from '../src/wire.js'
import { all } from './every-right.js'
import { listen, openInbox } from './rig.js'

type Ask = (path: string, value: unknown, keys: readonly string[]) => unknown
const asking = (mask: Ask) => resolveMask(mask) as MaskAt

const view = (text: string, ...paths: string[]) => bodyView(Buffer.from(text), resolveMask(paths))

describe('a mask of a large body', () => {
  it('hides what is nested deeply, and skips it where nothing is to hide', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    expect(view(`{"p":${deep}}`, 'p').text).toBe('{"p":"•••"}')
    expect(view(`{"q":${deep}}`, 'p').text).toBe(`{"q":${deep}}`)
    const shown = bodyView(
      Buffer.from(deep),
      asking((_, value) => value),
    )
    expect(shown).toMatchObject({ text: null, withheld: 'too_complex' })
  })

  it('costs no more than the text is long, however deep its values stand', () => {
    const text = `{"data":${'{"a":'.repeat(58)}[${'0,'.repeat(480_000)}0]${'}'.repeat(58)},"p":1}`
    const started = performance.now()
    for (let i = 0; i < 200; i++) {
      JSON.parse(text)
    }
    const parsed = performance.now()
    expect(view(text, 'data.phone', 'data.destination.*', 'p').text).toBe(text.replace('"p":1', '"p":"•••"'))
    expect(performance.now() - parsed).toBeLessThan(parsed - started)
  })

  it('withholds a body for which it would have to look at too much', () => {
    const values = Array.from({ length: 1_000_000 }, () => 0)
    const seen = { characters: 0 }
    const mask = asking((path, value) => {
      seen.characters += path.length + 20
      return value
    })
    const body = Buffer.from(JSON.stringify({ values }))
    expect(bodyView(body, mask)).toMatchObject({ text: null, withheld: 'too_complex' })
    expect(seen.characters).toBeLessThan(10_000_000)
    expect(bodyView(body, resolveMask(['values.*.name']))).toMatchObject({ withheld: 'too_complex' })
  })
})

it('one search finds all values, because the sender decides how many there are', () => {
  const values = Array.from({ length: 900 }, (_, i) => i.toString(36))
  const text = `x ${'- '.repeat(300)}ab 7`
  const fastestOf = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 25 }, () => {
        const from = performance.now()
        work()
        return performance.now() - from
      }),
    )
  const each = fastestOf(() => values.map((value) => withoutHidden(text, [value])))
  expect(withoutHidden(text, values)).toBe(`••• ${'- '.repeat(300)}••• •••`)
  // A search for each value would take as long as `each`. One search takes about a fifth of it.
  expect(fastestOf(() => withoutHidden(text, values))).toBeLessThan(each / 2)
})

it('twenty paths take about as long as one', async () => {
  const { receiver, sendRaw, until } = await openInbox()
  const members = Array.from({ length: 80_000 }, (_, i) => `"a${i.toString(36)}":1`)
  await sendRaw(`{"id":"evt_1","type":"a.b","createdAt":"2026-01-01T00:00:00Z","data":{${members}}}`)
  await until(({ dead }) => dead === 1)
  const url = await listen(consoleHandler(receiver, all))
  const cost = async (paths: number) => {
    let least = Infinity
    for (let i = 0; i < 3; i++) {
      const redact = Array.from({ length: paths }, (_, at) => `data.x${at}`)
      const before = process.cpuUsage()
      const response = await fetch(`${url}/api/events/evt_1/snippet?as=curl&redact=${redact}`)
      expect(((await response.json()) as Snippet).unmatched).toEqual(redact)
      least = Math.min(least, process.cpuUsage(before).user)
    }
    return least
  }
  const one = await cost(1)
  expect(await cost(20)).toBeLessThan(4 * one)
}, 30_000)
