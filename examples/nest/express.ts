import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { Receiver } from 'webhook-inbox'
import { expressHandler } from 'webhook-inbox/express'
import { origin, port } from '../environment.js'
import { AppModule, RECEIVER } from './app.module.js'

const app = await NestFactory.create<NestExpressApplication>(AppModule)
// Nest adds its body parser in `listen`, so this runs before it.
app.use('/webhooks', expressHandler(app.get<Receiver>(RECEIVER)))
app.enableShutdownHooks()
await app.listen(port)
console.log(`listening on ${origin(app.getHttpServer())}/webhooks`)
