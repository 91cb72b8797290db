import type { AddressInfo } from 'node:net'
import type { Contenders, Variant } from './contender.js'
import type { Framework, ServerState } from './process.js'

/** The measured process: `server.ts <framework> <variant>`. It reports its use when the parent asks. */
const [framework, variant] = process.argv.slice(2) as [Framework, Variant]
const module = (await import(`./${framework}.js`)) as Record<Framework, Contenders>

let handled = 0
const server = await module[framework][variant](() => {
  handled++
})
// The connections of one variant stay open during the turns of the others.
server.keepAliveTimeout = 0
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const state = (): ServerState => {
  const { user, system } = process.cpuUsage()
  return { port: (server.address() as AddressInfo).port, cpuMicroseconds: user + system, handled }
}

process.on('message', () => process.send?.(state()))
process.on('disconnect', () => process.exit())
process.send?.(state())
