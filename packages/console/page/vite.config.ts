import { defineConfig } from 'vite'

/** Builds the page into `dist`, which the handler serves. Its addresses are relative: it may be mounted anywhere. */
export default defineConfig({
  base: './',
  logLevel: 'warn',
  // Two copies of Preact would not share their hooks.
  resolve: { dedupe: ['preact'] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The first browsers with light-dark().
    target: ['chrome123', 'firefox125', 'safari17.5'],
    // There is one script, so nothing to load ahead.
    modulePreload: false,
    reportCompressedSize: false,
  },
})
