import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world.js'
import { always, type Nemesis } from './nemesis.js'

/** SIGSTOP past the lease, then SIGCONT, wherever the process happens to be. */
export const freeze: Nemesis = {
  name: 'SIGSTOP past the lease',
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
  appliesTo: always,
  strike: (world) => raiseZombie(world, false),
}

export const zombieThatFails: Nemesis = {
  name: 'a zombie that fails',
  appliesTo: always,
  strike: (world) => raiseZombie(world, true),
}

/** Stops a process in the middle of a handler, until its claim has passed to another, and lets it go on. */
async function raiseZombie(world: World, isFailing: boolean): Promise<void> {
  await world.until('a process is up', () => world.runners.some(({ isUp }) => isUp))
  const victim = world.random.pick(world.runners.filter(({ isUp }) => isUp))
  const { pid, deaths } = victim
  const struck = () => world.journal().find((line) => line.what === 'struck' && line.pid === pid)
  victim.tell({ strike: { at: 'in the handler', act: 'stop' } })
  if (isFailing) victim.tell({ strike: { at: 'after its write', act: 'fail' } })
  await world.until(
    'a process is stopped in a handler',
    () => struck() !== undefined || victim.deaths > deaths,
  )
  const id = struck()?.id
  const isTakenOver = () =>
    world.journal().some((line) => line.id === id && line.pid !== pid && line.what === 'left')
  await world.until('its event is run by another', () => isTakenOver() || victim.deaths > deaths)
  victim.signal('SIGCONT')
}
