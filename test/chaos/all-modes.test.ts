import { chaosSuite } from './suite.js'

chaosSuite('postgres inline')
chaosSuite('postgres + pg-boss')
chaosSuite('postgres + bullmq')
chaosSuite('redis inline')
