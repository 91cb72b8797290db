import { chaosSuite } from './suite.js'

chaosSuite('postgres + bullmq')
chaosSuite('sqlite + local')
chaosSuite('redis inline')
