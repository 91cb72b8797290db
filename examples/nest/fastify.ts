import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { Receiver } from 'webhook-inbox'
import { fastifyPlugin } from 'webhook-inbox/fastify'
import { origin, port } from '../environment.js'
import { AppModule, RECEIVER } from './app.module.js'

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
await app.register(fastifyPlugin, { path: '/webhooks', receiver: app.get<Receiver>(RECEIVER) })
app.enableShutdownHooks()
await app.listen(port)
console.log(`listening on ${origin(app.getHttpServer())}/webhooks`)
