import { chaosSuite } from './suite.js'

// One mode for each kind of claim: a transaction and a lease. `npm run test:all` runs the others too.
chaosSuite('postgres + local')
chaosSuite('sqlite + local')
