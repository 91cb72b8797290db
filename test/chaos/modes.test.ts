import { chaosSuite } from './suite.js'

// `LONG=1` runs the other modes too.
chaosSuite('postgres + local')
