import { expect } from 'vitest'
import type { Receiver } from 'webhook-inbox'
import { consoleHandler } from '../../src/index.js'
import { listen } from '../rig.js'
import { known } from './fill.js'

/** The most that the requests of one view may cost, in milliseconds of the database. */
const mostMilliseconds = 300

/** What the views of the page ask for, below `api`. */
const views = [
  'overview?hours=1',
  'overview?hours=24',
  'overview?hours=744',
  'workers',
  'sources',
  'flow/pauses',
  'events',
  'events?limit=200',
  'events?state=dead',
  'events?state=failed',
  'events?type=transfer.type_1',
  'events?type=transfer.rare',
  'events?type=transfer.rar.*',
  'events?type=none',
  'events?state=dead&type=transfer.rare',
  'events?resource=account_9',
  'events?resource=none',
  'events?state=dead&resource=account_9&since=2000-01-01T00%3A00%3A00Z',
  'events?id=evt_500000',
  'events?text=closed',
  'events?text=no%20such%20text',
  'events?state=done&body=data.customer.name:Ada',
  'events?state=done&body=data.customer.name:Grace',
  'events/evt_500000',
  'events/evt_500000/body',
  'events/evt_500000/snippet?as=curl',
  'groups',
  'groups?state=open',
  'groups?state=open&sort=dead',
  'groups?sort=events',
  'quarantine',
  'audits',
  'runs',
]

/** How long the database worked while `work` ran, in milliseconds. */
export type Measure = (work: () => Promise<void>) => Promise<number>

/** Asks for each view three times on a console, and expects that its cheapest answer is cheap enough. */
export async function expectCheapViews(receiver: Receiver, measure: Measure): Promise<void> {
  const url = await listen(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
  const page = (await (await fetch(`${url}/api/events?state=done`)).json()) as { next: string }
  const paths = [
    ...views,
    `groups/${encodeURIComponent(known.group)}`,
    `events?group=${encodeURIComponent(known.group)}`,
    `events?state=done&cursor=${page.next}`,
  ]
  const rows: { view: string; milliseconds: number }[] = []
  for (const path of paths) {
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3; i++) {
      const took = await measure(async () => {
        const response = await fetch(`${url}/api/${path}`)
        const text = await response.text()
        expect([path, response.status, text.includes('too_slow')]).toEqual([path, 200, false])
      })
      least = Math.min(least, took)
    }
    rows.push({ view: path, milliseconds: Math.round(least) })
  }
  console.table(rows)
  expect(rows.filter(({ milliseconds }) => milliseconds > mostMilliseconds)).toEqual([])
}
