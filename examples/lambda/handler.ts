/** AWS Lambda behind API Gateway, an Application Load Balancer or a Function URL: deploy this file as `handler`. */
import { createReceiver, memoryStore } from 'webhook-inbox'
import { lambdaHandler } from 'webhook-inbox/lambda'
import { secret } from '../environment.js'

const receiver = createReceiver({
  secret,
  store: memoryStore(), // for this example only: instances of a function share nothing; use redisStore
  handlerTimeoutSeconds: 2, // below the timeout of the function, so that the receiver can answer
  handlers: {
    async 'transfer.settled'({ data }) {
      console.log(`credit ${data.transferId}`)
    },
  },
})

export const handler = lambdaHandler(receiver)
