/** Runs the events that any server accepted. Start as many as you need, on any machine. */
import { close, receiver } from './receiver.js'

await receiver.start()
console.log('working')
process.once('SIGTERM', close)
