import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../..', import.meta.url))

/** @type {import('next').NextConfig} */
export default {
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: repository },
  outputFileTracingRoot: repository,
}
