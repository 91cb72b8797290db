import { migrate, receiver } from './receiver-on-postgres.js'

export { migrate, receiver }

// As docs/cli/inbox.md shows it.
await receiver.start()
