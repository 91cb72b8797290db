/** A receiver whose traces and metrics go through the real OpenTelemetry SDK. Prometheus reads the metrics over HTTP. */
import { createServer } from 'node:http'
import { metrics, trace } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, ConsoleSpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { createReceiver } from 'webhook-inbox'
import { nodeHandler } from 'webhook-inbox/node'
import { openTelemetry } from 'webhook-inbox/opentelemetry'
import { localQueue } from 'webhook-inbox/queues/local'
import { sqliteStore } from 'webhook-inbox/stores/sqlite'
import { origin, port, secret } from '../environment.js'

const tracerProvider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())],
})
tracerProvider.register()
const exporter = new PrometheusExporter({ host: '127.0.0.1', port: Number(process.env.METRICS_PORT ?? 9464) })
const meterProvider = new MeterProvider({ readers: [exporter] })
metrics.setGlobalMeterProvider(meterProvider)

const receiver = createReceiver({
  secret,
  store: sqliteStore(process.env.DATABASE ?? 'inbox.sqlite'),
  queue: localQueue({ retry: { attempts: 2, firstPauseSeconds: 0.1 } }),
  telemetry: openTelemetry({ messagingConventions: true }),
  handlers: {
    'transfer.settled'({ data }) {
      trace.getActiveSpan()?.addEvent('credited')
      console.log(`credited ${data.transferId}`)
    },
    'transfer.failed'() {
      throw new Error('the ledger is closed')
    },
  },
})
await receiver.start()

const server = createServer(nodeHandler(receiver))
server.listen(port, () => console.log(`listening on ${origin(server)}/webhooks`))
receiver.stopOnSignals({
  before: () => new Promise((resolve) => server.close(resolve)),
  after: () => Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]),
})
