import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../modes.js'
import type { Nemesis } from './nemesis.js'

const hasNetwork = ({ store }: Mode) => store !== 'sqlite'

/** Drops the data of all present connections without closing them. */
export const halfOpen: Nemesis = {
  name: 'connections half open',
  breaks: 'servers',
  appliesTo: hasNetwork,
  async strike({ backend: { proxies }, random, leaseSeconds }) {
    const proxy = random.pick(proxies)
    proxy.forget()
    await sleep(leaseSeconds * random.between(1, 2) * 1000)
    // A server with half a message waits for the rest and holds its locks, until keepalive closes the connection.
    proxy.expire()
  },
}

export const reset: Nemesis = {
  name: 'connections reset',
  breaks: 'servers',
  appliesTo: hasNetwork,
  async strike({ backend: { proxies }, random }) {
    for (let i = 0; i < 5; i++) {
      random.pick(proxies).cut()
      await sleep(random.between(10, 200))
    }
  },
}

export const partition: Nemesis = {
  name: 'network held up and released',
  breaks: 'servers',
  appliesTo: hasNetwork,
  async strike({ backend: { proxies }, random, leaseSeconds }) {
    const proxy = random.pick(proxies)
    proxy.hold()
    await sleep(leaseSeconds * random.between(0.3, 1.5) * 1000)
    proxy.release()
  },
}

export const byteByByte: Nemesis = {
  name: 'one byte at a time',
  breaks: 'servers',
  appliesTo: hasNetwork,
  async strike({ backend: { proxies }, random }) {
    const proxy = random.pick(proxies)
    proxy.crumble(true)
    await sleep(random.between(500, 1500))
    proxy.crumble(false)
  },
}
