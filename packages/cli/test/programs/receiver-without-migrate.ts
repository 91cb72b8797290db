export { receiver } from './receiver-on-postgres.js'
