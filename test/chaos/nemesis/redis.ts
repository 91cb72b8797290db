import { setTimeout as sleep } from 'node:timers/promises'
import { type Nemesis, onRedis } from './nemesis.js'

export const killRedis: Nemesis = {
  name: 'Redis killed',
  breaks: 'servers',
  appliesTo: onRedis,
  async strike({ backend: { redis }, random }) {
    await redis?.kill()
    await sleep(random.between(0, 800))
    await redis?.restart()
  },
}

export const pauseRedis: Nemesis = {
  name: 'Redis stops answering',
  breaks: 'servers',
  appliesTo: onRedis,
  async strike({ backend: { redis }, random, leaseSeconds }) {
    redis?.pause()
    await sleep(leaseSeconds * random.between(0.5, 1.5) * 1000)
    redis?.resume()
  },
}
