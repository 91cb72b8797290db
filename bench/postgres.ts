import { parseArgs } from 'node:util'
import { title } from './harness/table.js'
import { startServer } from './postgres/bench.js'
import { benchOnce } from './postgres/once.js'

const { values } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string', default: '21' } },
})
const rounds = Number(values.rounds)
const isWanted = (part: string) => values.only === undefined || values.only.split(',').includes(part)

title('The store on Postgres: a server of its own, fsync on, synchronous_commit on')
const server = await startServer()
try {
  if (isWanted('once')) await benchOnce(server, rounds)
} finally {
  await server.close()
}
