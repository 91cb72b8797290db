import Router from '@koa/router'
import Koa from 'koa'
import { koaHandler } from '../../adapters/koa.js'
import { listen } from './suite/listen.js'
import { adapterSuite } from './suite.js'

adapterSuite('Koa 3', (receiver) => {
  const app = new Koa()
  const router = new Router()
  router.all('/webhooks', koaHandler(receiver))
  return listen(app.use(router.routes()).callback())
})
