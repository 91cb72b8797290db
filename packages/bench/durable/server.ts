import type { AddressInfo } from 'node:net'
import { contenders, type DurableFramework, type Variant } from './contenders.js'

/** The measured process: `server.ts <framework> <variant>`. It reports its use when the parent asks. */
const [framework, variant] = process.argv.slice(2) as [DurableFramework, Variant]
const server = await contenders[framework][variant]()
// The connections of one variant stay open during the turns of the others.
server.keepAliveTimeout = 0
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const state = () => {
  const { user, system } = process.cpuUsage()
  return { port: (server.address() as AddressInfo).port, cpuMicroseconds: user + system, handled: 0 }
}

process.on('message', () => process.send?.(state()))
process.on('disconnect', () => process.exit())
process.send?.(state())
