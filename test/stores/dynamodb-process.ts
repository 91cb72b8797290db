/** Claims each key once, and prints the keys that it won. Arguments: the endpoint, the table, the keys. */
import { DynamoDB } from '@aws-sdk/client-dynamodb'
import { dynamoLeases } from '../../src/stores/dynamodb.js'

const [endpoint, table, ...keys] = process.argv.slice(2) as [string, string, ...string[]]
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const leases = dynamoLeases({ client: new DynamoDB({ endpoint, region: 'eu-west-1', credentials }), table })
await leases.check()
process.send?.('ready')
process.once('message', async () => {
  const claims = await Promise.all(keys.map((key) => leases.claim(key, 60)))
  process.send?.(keys.filter((_, i) => claims[i]?.state === 'claimed'))
  process.disconnect()
})
