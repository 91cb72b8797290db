import type { AddressInfo } from 'node:net'
import type { Contenders, Variant } from './contender.js'
import type { Framework, ServerState } from './process.js'

/** The process that is measured: `server.ts <framework> <variant>`, told by its parent when to say what it has used. */
const [framework, variant] = process.argv.slice(2) as [Framework, Variant]
const module = (await import(`./${framework}.js`)) as Record<Framework, Contenders>

let handled = 0
const server = await module[framework][variant](() => {
  handled++
})
// The connections of a variant are kept while the others have their turns.
server.keepAliveTimeout = 0
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const state = (): ServerState => {
  const { user, system } = process.cpuUsage()
  return { port: (server.address() as AddressInfo).port, cpuMicroseconds: user + system, handled }
}

process.on('message', () => process.send?.(state()))
process.on('disconnect', () => process.exit())
process.send?.(state())
