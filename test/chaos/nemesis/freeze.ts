import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalLine } from '../modes.js'
import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

/** Stops a process for longer than the lease at a random point, then continues it. */
export const freeze: Nemesis = {
  name: 'SIGSTOP past the lease',
  breaks: 'processes',
  appliesTo: always,
  async strike({ random, members, leaseSeconds }) {
    const victim = random.pick(members)
    victim.signal('SIGSTOP')
    await sleep(leaseSeconds * random.between(1.2, 2) * 1000)
    victim.signal('SIGCONT')
  },
}

export const zombieThatSucceeds: Nemesis = {
  name: 'a zombie that succeeds',
  breaks: 'processes',
  appliesTo: always,
  strike: (world) => raiseZombie(world, false),
}

export const zombieThatFails: Nemesis = {
  name: 'a zombie that fails',
  breaks: 'processes',
  appliesTo: always,
  strike: (world) => raiseZombie(world, true),
}

/** Stops a process inside a handler until another process has taken over its event, then continues it. */
async function raiseZombie({ random, runners, until, journal }: World, isFailing: boolean): Promise<void> {
  await until('a process is up', () => runners.some(({ isUp }) => isUp))
  const victim = random.pick(runners.filter(({ isUp }) => isUp))
  const { pid, deaths } = victim
  const isDead = () => victim.deaths > deaths
  const earlier = journal().length
  const since = () => journal().slice(earlier)
  victim.tell({ strike: { at: 'in the handler', act: 'stop' } })
  if (isFailing) {
    victim.tell({ strike: { at: 'after its write', act: 'fail' } })
  }
  try {
    const struck = () => since().find((line) => line.act === 'stop' && line.pid === pid)
    await until('a process is stopped in a handler', () => struck() !== undefined || isDead())
    const id = struck()?.id
    const isOfAnother = (line: JournalLine) => line.id === id && line.pid !== pid && line.what === 'entered'
    await until(`${id} passes to another`, () => since().some(isOfAnother) || isDead(), 60)
  } finally {
    victim.signal('SIGCONT')
  }
}
