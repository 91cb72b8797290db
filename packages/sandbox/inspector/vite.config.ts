import { defineConfig } from 'vite'

/** Builds the page into `dist`, which the sandbox serves at `/_inspector/`. */
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
    // The page has one lazy file, and needs no loader for the files that this one would need.
    modulePreload: false,
    reportCompressedSize: false,
  },
})
