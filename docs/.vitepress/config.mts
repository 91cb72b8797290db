import { defineConfig } from 'vitepress'

const page = (text: string, link: string) => ({ text, link })

/** The site is the same Markdown that a code forge shows, with a sidebar and the API reference. */
export default defineConfig({
  title: 'webhook-inbox',
  description: 'Receive signed webhooks about money without losing one or acting on one twice.',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md' },
  // Links to source files and to documents outside this folder lead to the repository, which has no address yet.
  ignoreDeadLinks: [/^\.\.?\/(?:\.\.\/)*(?:examples|packages|SECURITY|CONTRIBUTING|README)/, /\/index$/],
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Getting started', '/getting-started'),
          page('The inspector', '/inspector'),
          page('From sandbox to production', '/integration'),
          page('Migrating', '/migrating'),
          page('FAQ', '/faq'),
        ],
      },
      {
        text: 'Frameworks',
        items: [
          page('Express', '/frameworks/express'),
          page('Fastify', '/frameworks/fastify'),
          page('Koa', '/frameworks/koa'),
          page('Next.js', '/frameworks/next'),
          page('NestJS', '/frameworks/nest'),
          page('h3 and Nuxt', '/frameworks/nuxt'),
          page('SvelteKit', '/frameworks/sveltekit'),
          page('React Router, Remix', '/frameworks/react-router'),
          page('Astro', '/frameworks/astro'),
          page('Elysia', '/frameworks/elysia'),
          page('AWS Lambda', '/frameworks/lambda'),
          page('Workers, Bun, Deno, Hono', '/frameworks/fetch'),
          page('node:http', '/frameworks/node'),
        ],
      },
      {
        text: 'Use',
        items: [
          page('Handlers and types', '/handlers'),
          page('Choosing a store', '/stores'),
          page('ORMs and query builders', '/orms'),
          page('The durable inbox', '/durable-inbox'),
          page('Order', '/order'),
          page('Signatures', '/signatures'),
          page('Testing', '/testing'),
          page('Options', '/options'),
        ],
      },
      {
        text: 'Operate',
        items: [
          page('Operating it', '/operating'),
          page('Pause, limit and explain', '/flow'),
          page('Change many events', '/bulk'),
          page('The console', '/console'),
          page('Traces and metrics', '/telemetry'),
          page('Codes', '/codes'),
          page('Sign and send with curl', '/curl'),
          page('Send a delivery', '/send'),
          page('A signature does not verify', '/signature-does-not-verify'),
          page('Check an endpoint', '/check'),
        ],
      },
      {
        text: 'Command line',
        items: [
          page('Overview', '/cli/README'),
          page('Sign', '/cli/sign'),
          page('Verify', '/cli/verify'),
          page('Operate an inbox', '/cli/inbox'),
          page('Run the sandbox', '/cli/sandbox'),
          page('Completion', '/cli/completion'),
        ],
      },
      {
        text: 'Understand',
        items: [
          page('Architecture', '/architecture'),
          page('Security', '/security'),
          page('Performance', '/performance'),
          page('Proof', '/proof'),
          page('Glossary', '/glossary'),
          page('Gaps of the interface', '/gaps'),
          page('Why leases', '/decisions/leases'),
          page('Why 503 while in progress', '/decisions/503-while-in-progress'),
          page('Why raw bytes', '/decisions/raw-bytes'),
          page('Why two store ports', '/decisions/two-store-ports'),
          page('Why no queue of our own', '/decisions/no-queue-of-our-own'),
          page('Why a body reader of our own', '/decisions/own-body-reader'),
        ],
      },
      { text: 'API reference', link: '/api/' },
    ],
  },
})
