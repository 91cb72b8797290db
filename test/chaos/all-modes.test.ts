import { chaosSuite } from './suite.js'

chaosSuite('sqlite + local')
chaosSuite('postgres inline')
chaosSuite('postgres + pg-boss')
chaosSuite('postgres + bullmq')
chaosSuite('redis inline')
