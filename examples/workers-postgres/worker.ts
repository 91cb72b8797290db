/** Runs what any server has accepted. Start as many as there is work for, on any machine. */
import { close, receiver } from './receiver.js'

await receiver.start()
console.log('working')
process.once('SIGTERM', close)
