import { createReceiver } from 'webhook-inbox'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'

const { MY_SECRET, MY_PORT = '3000' } = process.env

export const receiver = createReceiver({
  secret: MY_SECRET as string,
  store: sqliteStore(process.env.INBOX_DATABASE as string),
})
export const port = Number(MY_PORT)
