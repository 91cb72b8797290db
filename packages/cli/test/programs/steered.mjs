// A program in which another operator is always faster: each run that it looks at is paused right after the look.
import { createReceiver } from 'webhook-inbox'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

const options = {
  secret: 'whsec_of_the_inbox_tests',
  endpoint: 'payments',
  queue: localQueue(),
  fallback() {},
  logger: false,
}

const own = createReceiver({ ...options, store: sqliteStore(process.env.INBOX_DATABASE) })

export const receiver = {
  ...own,
  async findRun(id) {
    const found = await own.findRun(id)
    return {
      ...found,
      async progress() {
        const seen = await found.progress()
        await found.pause({ reason: 'a wrong amount', actor: 'Anna' })
        return seen
      },
    }
  },
}
