import type { Mode } from '../modes.js'
import { block } from './block.js'
import { clockJump } from './clock.js'
import { freeze, zombieThatFails, zombieThatSucceeds } from './freeze.js'
import { kill } from './kill.js'
import type { Nemesis } from './nemesis.js'
import { byteByByte, halfOpen, partition, reset } from './network.js'
import { poison } from './poison.js'
import { poolExhausted } from './pool.js'
import { cutCommits, stopFast, stopImmediately, terminateBackends } from './postgres.js'
import { killRedis, pauseRedis } from './redis.js'

/** Nemeses that can strike at any time, in any order. */
const all: readonly Nemesis[] = [
  kill,
  freeze,
  zombieThatSucceeds,
  zombieThatFails,
  block,
  clockJump,
  poolExhausted,
  cutCommits,
  terminateBackends,
  stopFast,
  stopImmediately,
  killRedis,
  pauseRedis,
  halfOpen,
  reset,
  partition,
  byteByByte,
  poison,
]

export const nemesesOf = (mode: Mode): Nemesis[] => all.filter(({ appliesTo }) => appliesTo(mode))
