import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common'
import { Body, Controller, Inject, Injectable, Module, Post } from '@nestjs/common'
import { createReceiver, memoryStore, type Receiver } from 'webhook-inbox'
import { secret } from '../environment.js'

/** What the receiver does with an event, as any other service of the application. */
@Injectable()
export class Payments {
  async settle(transferId: string): Promise<void> {
    console.log(`credit ${transferId}`)
  }
}

export const RECEIVER = Symbol('receiver')

/** Starts the receiver with the application, and stops it with the application. */
@Injectable()
export class ReceiverLifespan implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(RECEIVER) private readonly receiver: Receiver) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.receiver.start()
  }

  async onApplicationShutdown(): Promise<void> {
    await this.receiver.stop()
  }
}

/** Another route, which keeps the body parser of Nest. */
@Controller('echo')
export class Echo {
  @Post()
  echo(@Body() body: unknown): unknown {
    return body
  }
}

@Module({
  controllers: [Echo],
  providers: [
    Payments,
    ReceiverLifespan,
    {
      provide: RECEIVER,
      inject: [Payments],
      useFactory: (payments: Payments) =>
        createReceiver({
          secret,
          store: memoryStore(), // for one process; redisStore or postgresStore for more than one
          handlers: { 'transfer.settled': ({ data }) => payments.settle(data.transferId) },
        }),
    },
  ],
})
export class AppModule {}
