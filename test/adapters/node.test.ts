import { nodeHandler } from '../../adapters/node.js'
import { listen } from './suite/listen.js'
import { adapterSuite } from './suite.js'

adapterSuite('node:http', (receiver) => listen(nodeHandler(receiver)))
