import pg from 'pg'
import { postgresStore } from '../../src/stores/postgres.js'

/** Runs one event in its own process, which kills itself at a step. */

const [url, step, event] = process.argv.slice(2) as [string, string, string]

const die = (reached: string) => {
  if (reached === step) {
    process.kill(process.pid, 'SIGKILL')
  }
}

const pool = new pg.Pool({ connectionString: url })
pool.on('connect', (client) => {
  // This proxy is between the store and its server, where no handler runs.
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = (async (...args: unknown[]) => {
    const [text] = args
    // The store sends BEGIN and the claim together, as an object with its own submit method.
    const isClaim = typeof text === 'object'
    const isCommit = typeof text === 'string' && text.endsWith('COMMIT')
    if (isClaim) {
      die('before the claim')
    }
    if (isCommit) {
      die('before the commit')
    }
    const answer = await query(...args)
    if (isClaim) {
      die('with the claim on its way')
    }
    if (isCommit) {
      die('after the commit')
    }
    return answer
  }) as typeof client.query
})

const { body, ...rest } = JSON.parse(event)
const outcome = await postgresStore({ pool }).once(
  { ...rest, body: Buffer.from(body, 'hex') },
  async ({ tx }) => {
    die('in the handler')
    await tx.query('INSERT INTO effects VALUES ($1)', [rest.key])
    die('after its write')
  },
)
process.stdout.write(outcome.state)
await pool.end()
