import { defineConfig } from 'vitest/config'

// Nothing to set up; this file keeps the configuration of the repository away from the example.
export default defineConfig({})
