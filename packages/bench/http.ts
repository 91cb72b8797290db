import { quantile, shuffled } from './harness/compare.js'
import { table, title } from './harness/table.js'
import { type Variant, variants } from './http/contender.js'
import { splitCores } from './http/cores.js'
import { deliveries } from './http/deliveries.js'
import { Load } from './http/load.js'
import { type Framework, frameworks, ServerProcess } from './http/process.js'

/** Measures HTTP requests to the built package: `npm run bench -- http [framework]`. */
const connections = 50
const requestsPerTurn = 2000
const warmUpTurns = 12
const rounds = 41

interface Turn {
  /** Use of the server's process for one request. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
}

/** One server, the connections to it, and the results of its turns. */
class Contestant {
  readonly turns: Turn[] = []

  private constructor(
    readonly variant: Variant,
    private readonly server: ServerProcess,
    private readonly load: Load,
  ) {}

  static async start(framework: Framework, variant: Variant, pinned: readonly string[]): Promise<Contestant> {
    const server = new ServerProcess(framework, variant, pinned)
    const { port } = await server.listening()
    return new Contestant(variant, server, await Load.open(port, connections))
  }

  async turn(): Promise<Turn> {
    const requests = deliveries(requestsPerTurn)
    const before = await this.server.state()
    const startedAt = performance.now()
    await this.load.send(requests)
    const seconds = (performance.now() - startedAt) / 1000
    const after = await this.server.state()
    if (after.handled - before.handled !== requests.length) {
      throw new Error(`${after.handled - before.handled} of ${requests.length} deliveries were handled`)
    }
    return {
      cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / requests.length,
      requestsPerSecond: requests.length / seconds,
    }
  }

  async stop(): Promise<void> {
    this.load.close()
    await this.server.stop()
  }
}

async function measure(framework: Framework, pinned: readonly string[]): Promise<void> {
  const contestants: Contestant[] = []
  for (const variant of variants) {
    contestants.push(await Contestant.start(framework, variant, pinned))
  }
  for (const contestant of contestants) {
    for (let i = 0; i < warmUpTurns; i++) {
      await contestant.turn()
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const index of shuffled(contestants.length)) {
      const contestant = contestants[index] as Contestant
      contestant.turns.push(await contestant.turn())
    }
  }
  report(framework, contestants)
  for (const contestant of contestants) {
    await contestant.stop()
  }
}

function report(framework: Framework, contestants: readonly Contestant[]): void {
  const costs = contestants.map(({ turns }) => turns.map(({ cpuMicroseconds }) => cpuMicroseconds))
  const ratio = (index: number, to: Variant) => {
    const others = costs[variants.indexOf(to)] as number[]
    return quantile(costs[index]?.map((cost, round) => cost / (others[round] as number)) ?? [], 0.5)
  }
  table(
    [framework, 'CPU/request', 'spread', 'to bare', 'to stripe', 'requests/s'],
    contestants.map(({ variant, turns }, index) => {
      const [lower = 0, middle = 0, upper = 0] = [0.25, 0.5, 0.75].map((part) =>
        quantile(costs[index] ?? [], part),
      )
      const rate = quantile(
        turns.map(({ requestsPerSecond }) => requestsPerSecond),
        0.5,
      )
      return [
        variant,
        `${middle.toFixed(1)} µs`,
        `±${Math.round((50 * (upper - lower)) / middle)} %`,
        ratio(index, 'bare').toFixed(2),
        ratio(index, 'stripe').toFixed(2),
        Math.round(rate),
      ]
    }),
  )
}

const chosen = process.argv[2]
if (chosen !== undefined && !frameworks.includes(chosen as Framework)) {
  throw new Error(`${chosen} is none of ${frameworks.join(', ')}`)
}
title('Deliveries over HTTP: 50 connections, 1 kB signed bodies, every event new')
const pinned = splitCores()
for (const framework of chosen ? [chosen as Framework] : frameworks) {
  await measure(framework, pinned)
}
