// A console in a process of its own, which a test can freeze. Arguments: the file of the inbox.
import { createServer } from 'node:http'
import { createReceiver } from 'webhook-inbox'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { consoleHandler } from '../../dist/index.js'

const receiver = createReceiver({
  secret: 'whsec_of_the_console_tests',
  endpoint: 'payments',
  store: sqliteStore(process.argv[2]),
  logger: false,
  fallback() {},
})
const server = createServer(consoleHandler(receiver, { authorize: () => true, actor: () => 'operator' }))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
